/* driver: the CUDA driver API, bound at run time.
 *
 * Types and numbers are from its public documentation (CUDA Driver API 13.0); each number carries the name it
 * has there. */
#ifndef WW_RUN_DRIVER_H
#define WW_RUN_DRIVER_H

#include "base/base.h"

typedef struct CUctx_st *driver_context;
typedef struct CUstream_st *driver_stream;
typedef struct CUevent_st *driver_event;
typedef struct CUmod_st *driver_module;
typedef struct CUfunc_st *driver_function;

enum { /* CUresult */
       DRIVER_SUCCESS = 0,
       DRIVER_NOT_READY = 600,
};

enum { /* CUdevice_attribute */
       DRIVER_MULTIPROCESSOR_COUNT = 16,
       DRIVER_L2_CACHE_SIZE = 38,
       DRIVER_COMPUTE_CAPABILITY_MAJOR = 75,
       DRIVER_COMPUTE_CAPABILITY_MINOR = 76,
       DRIVER_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum { /* CUfunction_attribute */
       DRIVER_FUNCTION_MAX_DYNAMIC_SHARED = 8,
       DRIVER_FUNCTION_NON_PORTABLE_CLUSTER = 14,
};

enum { /* CUjit_option */
       DRIVER_JIT_ERROR_LOG = 5,
       DRIVER_JIT_ERROR_LOG_BYTES = 6,
};

enum { /* CUlaunchAttributeID */
       DRIVER_LAUNCH_CLUSTER = 4,
       DRIVER_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6,
};

enum { /* CUtensorMapL2promotion, the other choices are 0 for "none" */
       DRIVER_TENSOR_L2_128B = 2,
};

/* CUlaunchAttribute: an id, padding to 8 bytes, a union of 64 bytes of which two members are used here. */
typedef struct driver_attribute {
    int id;
    int padding;
    union {
        char room[64];
        uint32_t cluster[3];
        int programmatic_serialization;
    } value;
} driver_attribute;

/* CUlaunchConfig */
typedef struct driver_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    driver_stream stream;
    driver_attribute *attributes;
    unsigned attribute_count;
} driver_launch;

typedef struct driver_api {
#define DRIVER(symbol, parameters) int(*symbol) parameters;
#include "run/driver.def"
#undef DRIVER
} driver_api;

/* Loads and initialises the driver; false with the reason in error. */
bool driver_open(driver_api *api, text *error);

/* Appends "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered". */
void driver_explain(const driver_api *api, int result, text *to);

#endif
