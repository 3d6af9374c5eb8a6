/* ww_kernel_audit: the bodies printed, compiled and compared with their rows, once. */
#include "audit/audit.h"
#include "api/compile.h"

static const char *kept(ww_kernel *k, const text *t)
{
    return arena_strndup(&k->arena, text_str(t), t->len);
}

/* The virtual architecture gives PTX alone. */
static bool compile(ww_kernel *k, const emit_bodies *bodies, build_output *built, text *error)
{
    text cuda = {0};
    emit_audit(k->program, bodies, &cuda);
    const char *arch = arena_printf(&k->arena, "compute_%s", k->options.arch + strlen("sm_"));
    const char *name = arena_printf(&k->arena, "%s_bodies", k->name);
    bool ok = api_compile(k, arch, name, text_str(&cuda), built, error);
    text_free(&cuda);
    return ok;
}

/* The kernel itself, as a GPU runs it; one that is not proved is not generated, and has nothing to be looked at. */
static bool look_at_kernel(ww_kernel *k, const audit_result *result, text *error)
{
    const char *cuda = k->unchecked ? NULL : ww_kernel_emit(k);
    build_output built = {0};
    build_usage usage = {0};
    bool ok = !cuda || api_compile(k, k->options.arch, k->name, cuda, &built, error);
    if (cuda && ok && build_cubin_usage(&built.cubin, k->name, &usage))
        audit_local_memory(k->program, usage.local_bytes, result, &k->audit_diags);
    build_output_free(&built);
    return ok;
}

static void look(ww_kernel *k, ww_audit *a, text *error)
{
    emit_bodies bodies = {0};
    build_output built = {0};
    audit_result result = {0};
    emit_list_bodies(k->program, &bodies);
    a->done =
        !bodies.list.len || (compile(k, &bodies, &built, error) &&
                             audit_bodies(k->program, &bodies, &built.ptx, &k->audit_diags, &result, error) &&
                             look_at_kernel(k, &result, error));
    a->bodies = result.bodies;
    a->undecided = result.undecided;
    a->listing = kept(k, &result.listing);
    a->compile_ms = built.compile_ms;
    a->compiled_before = built.from_cache;
    text_free(&result.listing);
    build_output_free(&built);
    vec_free(&bodies.list);
}

static ww_audit *audit(ww_kernel *k)
{
    ww_audit *a = arena_new(&k->arena, ww_audit);
    double start = clock_ms();
    text error = {0};
    a->listing = "";
    diag_list_init(&k->audit_diags, &k->arena);
    if (ww_diag_count(ww_kernel_check(k), WW_ERROR) || !k->program)
        text_add(&error, "the kernel is refused: see its diagnostics");
    else
        look(k, a, &error);
    model_suppress_audit(k, &k->audit_diags, a->done && !k->unchecked);
    diag_list_settle(&k->audit_diags);
    a->findings = k->audit_diags.first;
    a->why_not = a->done ? NULL : kept(k, &error);
    a->milliseconds = clock_ms() - start;
    text_free(&error);
    return a;
}

ww_audit ww_kernel_audit(ww_kernel *k)
{
    if (!k->audit)
        k->audit = audit(k);
    return *k->audit;
}
