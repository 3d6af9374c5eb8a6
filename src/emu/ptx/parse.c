/* parse.c: modules and functions (PTX ISA, sections 11.1 to 11.4).
 *
 * A recursive descent: a function is named after what it reads, and is called with the first token of it current. An
 * error leaves by longjmp to ptx_parse (lex_fail); what was allocated until then is the arena's or the
 * module's, so nothing leaks. */
#include "emu/ptx/parse.h"

/* ---- tokens ----------------------------------------------------------------------------------------- */

bool parse_at(const parser *p, char punctuation)
{
    return p->lex.token.kind == LEX_PUNCTUATION && *p->lex.token.text == punctuation;
}

static bool token_is(const lex_token *t, const char *word)
{
    return strlen(word) == t->len && memcmp(t->text, word, t->len) == 0;
}

bool parse_at_directive(const parser *p, const char *word)
{
    return p->lex.token.kind == LEX_DIRECTIVE && token_is(&p->lex.token, word);
}

bool parse_accept(parser *p, char punctuation)
{
    bool yes = parse_at(p, punctuation);
    if (yes)
        lex_advance(&p->lex);
    return yes;
}

void parse_expect(parser *p, char punctuation)
{
    if (!parse_accept(p, punctuation))
        lex_fail(&p->lex, p->lex.token.at, "'%c' expected", punctuation);
}

bool parse_accept_directive(parser *p, const char *word)
{
    bool yes = parse_at_directive(p, word);
    if (yes)
        lex_advance(&p->lex);
    return yes;
}

const char *parse_name(parser *p, const char *what)
{
    if (p->lex.token.kind != LEX_NAME)
        lex_fail(&p->lex, p->lex.token.at, "%s expected", what);
    const char *name = arena_strndup(p->module->arena, p->lex.token.text, p->lex.token.len);
    lex_advance(&p->lex);
    return name;
}

uint64_t parse_count(parser *p, const char *what, uint64_t limit)
{
    ptx_position at = p->lex.token.at;
    int64_t value = parse_constant(p);
    if (value < 0 || (uint64_t)value > limit)
        lex_fail(&p->lex, at, "%s is %lld, not within 0 to %llu", what, (long long)value,
                 (unsigned long long)limit);
    return (uint64_t)value;
}

void parse_skip_past(parser *p, char punctuation)
{
    while (!parse_at(p, punctuation)) {
        if (p->lex.token.kind == LEX_END)
            lex_fail(&p->lex, p->lex.token.at, "'%c' expected before the end of the text", punctuation);
        lex_advance(&p->lex);
    }
    lex_advance(&p->lex);
}

void parse_enter(parser *p)
{
    if (++p->depth > PARSE_MAX_DEPTH)
        lex_fail(&p->lex, p->lex.token.at, "nested more than %d levels deep", PARSE_MAX_DEPTH);
}

void parse_leave(parser *p)
{
    p->depth--;
}

/* ---- functions -------------------------------------------------------------------------------------- */

static ptx_function *function_new(parser *p, const char *name, ptx_position at)
{
    ptx_function *f = arena_new(p->module->arena, ptx_function);
    f->name = name;
    f->at = at;
    vec_push(&p->module->functions, f);
    name_entry entry = {.text = name, .len = (uint32_t)strlen(name), .kind = NAME_FUNCTION, .function = f};
    if (!names_add(&p->names, entry))
        lex_fail(&p->lex, at, "%s is declared twice", name);
    return f;
}

/* The function of that name: a new one, or one declared earlier whose body may follow now. */
static ptx_function *function_declare(parser *p, bool is_entry)
{
    ptx_position at = p->lex.token.at;
    const char *name = parse_name(p, "a function's name");
    const name_entry *known = names_find(&p->names, 0, name, (uint32_t)strlen(name));
    if (known && (known->kind != NAME_FUNCTION || known->function->has_body))
        lex_fail(&p->lex, at, "%s is declared twice", name);
    ptx_function *f = known ? known->function : function_new(p, name, at);
    f->is_entry = is_entry;
    f->params.len = f->returns.len = f->variables.len = 0;
    f->at = at;
    return f;
}

/* ( .param .b32 a, .param .b64 b ) */
static void read_params(parser *p, bool of_entry)
{
    p->params.len = 0;
    parse_expect(p, '(');
    while (!parse_at(p, ')')) {
        ptx_variable *v = parse_parameter(p, of_entry);
        vec_push(&p->params, v);
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, ')');
}

/* Parameters and return values of a device function are variables of it, one set a thread. */
static void add_variable(ptx_function *f, ptx_variable *v)
{
    v->index = (uint32_t)f->variables.len;
    vec_push(&f->variables, v);
}

/* Kernel parameters lie in their block in order, each at its own alignment. */
static void place_params(parser *p, ptx_function *f)
{
    uint64_t end = 0;
    ptx_variable **v;
    vec_each(v, &f->params) {
        end = (end + (*v)->align - 1) / (*v)->align * (*v)->align;
        (*v)->address = end;
        end += (*v)->bytes;
    }
    if (end > 32764) /* PTX ISA, section 5.1.6.2 */
        lex_fail(&p->lex, f->at, "the parameters of %s take %llu bytes, more than 32764", f->name,
                 (unsigned long long)end);
    f->param_bytes = end;
}

static void read_dimensions(parser *p, uint32_t dims[3])
{
    dims[0] = dims[1] = dims[2] = 1;
    for (int i = 0; i < 3; i++) {
        dims[i] = (uint32_t)parse_count(p, "a dimension", UINT16_MAX);
        if (!parse_accept(p, ','))
            break;
    }
}

/* Performance-tuning and cluster directives between head and body (PTX ISA, sections 11.4 and 11.7). */
static void function_directive(parser *p, ptx_function *f)
{
    uint32_t dims[3];
    if (parse_accept_directive(p, "maxntid")) {
        read_dimensions(p, dims);
        f->max_threads = dims[0] * dims[1] * dims[2];
    } else if (parse_accept_directive(p, "reqntid")) {
        read_dimensions(p, f->required);
    } else if (parse_accept_directive(p, "reqnctapercluster")) {
        read_dimensions(p, f->cluster);
    } else if (parse_accept_directive(p, "explicitcluster")) {
        f->explicit_cluster = true;
    } else {
        lex_advance(&p->lex);
        while (p->lex.token.kind == LEX_INTEGER || p->lex.token.kind == LEX_STRING || parse_at(p, ','))
            lex_advance(&p->lex);
    }
}

/* (.param .b32 r) name (.param .b32 a, ...): what follows .entry or .func */
static ptx_function *read_head(parser *p, bool is_entry)
{
    p->params.len = 0;
    if (!is_entry && parse_at(p, '('))
        read_params(p, false);
    ptx_function *f = function_declare(p, is_entry);
    ptx_variable **v;
    vec_each(v, &p->params) {
        vec_push(&f->returns, *v);
        add_variable(f, *v);
    }
    p->params.len = 0;
    if (parse_at(p, '('))
        read_params(p, is_entry);
    vec_each(v, &p->params) {
        vec_push(&f->params, *v);
        if (!is_entry)
            add_variable(f, *v);
    }
    if (is_entry)
        place_params(p, f);
    return f;
}

static void read_function(parser *p, bool is_entry)
{
    uint32_t outer = p->scope;
    p->scope = names_scope(&p->names, outer);
    ptx_function *f = read_head(p, is_entry);
    while (p->lex.token.kind == LEX_DIRECTIVE)
        function_directive(p, f);
    if (!parse_accept(p, ';')) {
        f->has_body = true;
        p->function = f;
        parse_body(p);
        p->function = NULL;
    }
    p->scope = outer;
}

/* ---- modules ---------------------------------------------------------------------------------------- */

static void read_version(parser *p)
{
    char digits[16] = "";
    size_t len = p->lex.token.len < sizeof digits ? p->lex.token.len : sizeof digits - 1;
    memcpy(digits, p->lex.token.text, len);
    unsigned long major = 0, minor = 0;
    char *dot = NULL;
    major = strtoul(digits, &dot, 10);
    if (dot == digits || *dot != '.')
        lex_fail(&p->lex, p->lex.token.at, "a version like 9.0 expected");
    minor = strtoul(dot + 1, NULL, 10);
    p->module->version = (uint32_t)(major * 10 + minor);
    lex_advance(&p->lex);
}

static void read_target(parser *p)
{
    p->module->target = parse_name(p, "a target");
    while (parse_accept(p, ','))
        (void)parse_name(p, "a target option");
}

static void read_address_size(parser *p)
{
    ptx_position at = p->lex.token.at;
    if (parse_count(p, "the address size", 64) != 64)
        lex_fail(&p->lex, at, "only 64-bit addresses are supported");
}

/* .section .debug_str { ... } */
static void skip_section(parser *p)
{
    lex_advance(&p->lex);
    parse_skip_past(p, '{');
    parse_skip_past(p, '}');
}

void parse_skip_line(parser *p)
{
    while (p->lex.next < p->lex.end && *p->lex.next != '\n')
        p->lex.next++;
    lex_advance(&p->lex);
}

static void module_declaration(parser *p)
{
    bool is_extern = false;
    for (;;) {
        if (parse_at_directive(p, "extern"))
            is_extern = true;
        else if (!parse_at_directive(p, "visible") && !parse_at_directive(p, "weak") &&
                 !parse_at_directive(p, "common"))
            break;
        lex_advance(&p->lex);
    }
    ptx_space space;
    if (parse_accept_directive(p, "entry"))
        read_function(p, true);
    else if (parse_accept_directive(p, "func"))
        read_function(p, false);
    else if (parse_space(p, &space))
        parse_variables(p, space, is_extern);
    else
        lex_fail(&p->lex, p->lex.token.at, "a declaration expected");
}

static void module_statement(parser *p)
{
    if (parse_accept_directive(p, "version"))
        read_version(p);
    else if (parse_accept_directive(p, "target"))
        read_target(p);
    else if (parse_accept_directive(p, "address_size"))
        read_address_size(p);
    else if (parse_at_directive(p, "file") || parse_at_directive(p, "loc"))
        parse_skip_line(p);
    else if (parse_accept_directive(p, "section"))
        skip_section(p);
    else if (parse_accept_directive(p, "pragma") || parse_accept_directive(p, "alias"))
        parse_skip_past(p, ';');
    else if (!parse_accept(p, ';'))
        module_declaration(p);
}

static void check_header(parser *p)
{
    if (!p->module->version)
        lex_fail(&p->lex, (ptx_position){1, 1}, "there is no .version directive");
    if (!p->module->target)
        lex_fail(&p->lex, (ptx_position){1, 1}, "there is no .target directive");
}

static bool run_parser(parser *p, const char *source, size_t len, text *errors)
{
    if (setjmp(p->lex.failed))
        return false;
    lex_start(&p->lex, source, len, errors);
    lex_advance(&p->lex);
    while (p->lex.token.kind != LEX_END)
        module_statement(p);
    check_header(p);
    return true;
}

ptx_module *ptx_parse(arena *a, const char *source, size_t len, text *errors)
{
    parser *p = arena_new(a, parser);
    p->module = arena_new(a, ptx_module);
    p->module->arena = a;
    p->module->source = source = arena_strndup(a, source, len);
    names_start(&p->names);
    bool ok = run_parser(p, source, len, errors);
    names_free(&p->names);
    vec_free(&p->params);
    vec_free(&p->scratch);
    vec_free(&p->relocations);
    if (ok)
        return p->module;
    ptx_module_release(p->module);
    return NULL;
}

void ptx_module_release(ptx_module *module)
{
    ptx_function **f;
    vec_each(f, &module->functions) {
        vec_free(&(*f)->returns);
        vec_free(&(*f)->params);
        vec_free(&(*f)->variables);
        vec_free(&(*f)->shared);
        vec_free(&(*f)->registers);
        vec_free(&(*f)->instructions);
        vec_free(&(*f)->labels);
    }
    vec_free(&module->functions);
    vec_free(&module->variables);
}
