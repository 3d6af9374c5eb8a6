#include "bench_prove.h"
void bench_reference(int repetitions)
{
    (void)repetitions;
}
