/* Loading the CUDA driver and putting its result codes in words. */
#include "run/driver.h"
#include "build/library.h"

static const char *const driver_names[] = {"libcuda.so.1", "libcuda.so", NULL};

bool driver_open(driver_api *api, text *error)
{
    text searched = {0};
    void *library = library_open_system(driver_names, &searched);
    if (!library)
        text_printf(error, "no CUDA driver was found. Searched:\n%s", text_str(&searched));
    text_free(&searched);
    const library_symbol symbols[] = {
#define DRIVER(symbol, parameters) {#symbol, &api->symbol},
#include "run/driver.def"
#undef DRIVER
    };
    if (!library || !library_bind(library, symbols, ARRAY_LEN(symbols), error))
        return false;
    int result = api->cuInit(0);
    if (result != DRIVER_SUCCESS) {
        text_add(error, "the CUDA driver does not start: ");
        driver_explain(api, result, error);
    }
    return result == DRIVER_SUCCESS;
}

void driver_explain(const driver_api *api, int result, text *to)
{
    const char *name = NULL, *description = NULL;
    if (api->cuGetErrorName(result, &name) != DRIVER_SUCCESS || !name)
        name = "an error without a name";
    if (api->cuGetErrorString(result, &description) != DRIVER_SUCCESS || !description)
        description = "no description";
    text_printf(to, "%s (%d): %s", name, result, description);
}
