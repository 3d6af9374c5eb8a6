/* operands: operand lists for instructions over 1, 2, 4 .. 128 registers, by doubling: wgmma's accumulators,
 * what tcgen05 loads and stores. */
#ifndef WW_OPERANDS_CUH
#define WW_OPERANDS_CUH

/* Their places in the instruction, from %0 on. */
#define WW_NAMES_1 "%0"
#define WW_NAMES_2 WW_NAMES_1 ", %1"
#define WW_NAMES_4 WW_NAMES_2 ", %2, %3"
#define WW_NAMES_8 WW_NAMES_4 ", %4, %5, %6, %7"
#define WW_NAMES_16 WW_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define WW_NAMES_32                                                                                          \
    WW_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WW_NAMES_64                                                                                          \
    WW_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"           \
                ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WW_NAMES_128                                                                                         \
    WW_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"           \
                ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"           \
                ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110"     \
                ", %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125" \
                ", %126, %127"

/* The elements of an array d as operands with the constraint C. Written out: sums as indexes parse at half
 * the speed. */
#define WW_VALUES_1(C, d) C(d[0])
#define WW_VALUES_2(C, d) WW_VALUES_1(C, d), C(d[1])
#define WW_VALUES_4(C, d) WW_VALUES_2(C, d), C(d[2]), C(d[3])
#define WW_VALUES_8(C, d) WW_VALUES_4(C, d), C(d[4]), C(d[5]), C(d[6]), C(d[7])
#define WW_VALUES_16(C, d)                                                                                   \
    WW_VALUES_8(C, d), C(d[8]), C(d[9]), C(d[10]), C(d[11]), C(d[12]), C(d[13]), C(d[14]), C(d[15])
#define WW_VALUES_32(C, d)                                                                                   \
    WW_VALUES_16(C, d), C(d[16]), C(d[17]), C(d[18]), C(d[19]), C(d[20]), C(d[21]), C(d[22]), C(d[23]),      \
        C(d[24]), C(d[25]), C(d[26]), C(d[27]), C(d[28]), C(d[29]), C(d[30]), C(d[31])
#define WW_VALUES_64(C, d)                                                                                   \
    WW_VALUES_32(C, d), C(d[32]), C(d[33]), C(d[34]), C(d[35]), C(d[36]), C(d[37]), C(d[38]), C(d[39]),      \
        C(d[40]), C(d[41]), C(d[42]), C(d[43]), C(d[44]), C(d[45]), C(d[46]), C(d[47]), C(d[48]), C(d[49]),  \
        C(d[50]), C(d[51]), C(d[52]), C(d[53]), C(d[54]), C(d[55]), C(d[56]), C(d[57]), C(d[58]), C(d[59]),  \
        C(d[60]), C(d[61]), C(d[62]), C(d[63])
#define WW_VALUES_128(C, d)                                                                                  \
    WW_VALUES_64(C, d), C(d[64]), C(d[65]), C(d[66]), C(d[67]), C(d[68]), C(d[69]), C(d[70]), C(d[71]),      \
        C(d[72]), C(d[73]), C(d[74]), C(d[75]), C(d[76]), C(d[77]), C(d[78]), C(d[79]), C(d[80]), C(d[81]),  \
        C(d[82]), C(d[83]), C(d[84]), C(d[85]), C(d[86]), C(d[87]), C(d[88]), C(d[89]), C(d[90]), C(d[91]),  \
        C(d[92]), C(d[93]), C(d[94]), C(d[95]), C(d[96]), C(d[97]), C(d[98]), C(d[99]), C(d[100]),           \
        C(d[101]), C(d[102]), C(d[103]), C(d[104]), C(d[105]), C(d[106]), C(d[107]), C(d[108]), C(d[109]),   \
        C(d[110]), C(d[111]), C(d[112]), C(d[113]), C(d[114]), C(d[115]), C(d[116]), C(d[117]), C(d[118]),   \
        C(d[119]), C(d[120]), C(d[121]), C(d[122]), C(d[123]), C(d[124]), C(d[125]), C(d[126]), C(d[127])

#endif
