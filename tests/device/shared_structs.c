/* shared_structs: the headers that host C and device code share compile as C11 and lay their structs out
 * alike. nvrtc_headers asserts the same facts (shared_structs.h) under NVRTC. */
#include <stdio.h>

#include "gemm_params.h"
#include "grid_stride_params.h"
#include "persistent_copy_params.h"
#include "tma_copy_params.h"

#include "shared_structs.h"

int main(void)
{
    printf("ok\n");
    return 0;
}
