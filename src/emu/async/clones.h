/* clones.h: functions compiled once for each vector unit of x86-64, the best chosen at run time.
 *
 * DEFINE_CLONES(type, name, parameters, arguments) defines name in terms of an inline name_body with the
 * same parameters. What name_body inlines is vector code of that unit too. On other machines there is one
 * copy. gcc needs more than -O2 to turn plain loops into vector code; clang does not. */
#ifndef WW_EMU_ASYNC_CLONES_H
#define WW_EMU_ASYNC_CLONES_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)

#define DEFINE_CLONES(type, name, parameters, arguments)                                                     \
    static type name##_any parameters                                                                        \
    {                                                                                                        \
        return name##_body arguments;                                                                        \
    }                                                                                                        \
    __attribute__((target("avx2"))) static type name##_avx2 parameters                                       \
    {                                                                                                        \
        return name##_body arguments;                                                                        \
    }                                                                                                        \
    __attribute__((target("avx512f"))) static type name##_avx512 parameters                                  \
    {                                                                                                        \
        return name##_body arguments;                                                                        \
    }                                                                                                        \
    static type name parameters                                                                              \
    {                                                                                                        \
        if (__builtin_cpu_supports("avx512f"))                                                               \
            return name##_avx512 arguments;                                                                  \
        return __builtin_cpu_supports("avx2") ? name##_avx2 arguments : name##_any arguments;                \
    }

#else

#define DEFINE_CLONES(type, name, parameters, arguments)                                                     \
    static type name parameters                                                                              \
    {                                                                                                        \
        return name##_body arguments;                                                                        \
    }

#endif

#endif
