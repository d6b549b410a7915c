/* Functions that work element by element, made from functions on scalars of other names. */

/* `NAME(a, b)` or `a NAME b`, where each element of the result, of type R, is SCALAR of an element of type S and one of type T. */
#define MIXED_OPERATOR(S, T, R, NAME, SCALAR) \
R[d:shp] NAME(S[d:shp] a, T[d:shp] b) { return with { (. <= iv <= .) : SCALAR(a[iv], b[iv]); } : genarray(shp, ZERO(R)); } \
R[d:shp] NAME(S[d:shp] a, T b) { return with { (. <= iv <= .) : SCALAR(a[iv], b); } : genarray(shp, ZERO(R)); } \
R[d:shp] NAME(S a, T[d:shp] b) { return with { (. <= iv <= .) : SCALAR(a, b[iv]); } : genarray(shp, ZERO(R)); }

/* The same where both elements are of type T. */
#define OPERATOR(T, R, NAME, SCALAR) MIXED_OPERATOR(T, T, R, NAME, SCALAR)

/* `NAME(a)`, where each element of the result, of type R, is SCALAR of the element of type T. */
#define FUNCTION(T, R, NAME, SCALAR) \
R[d:shp] NAME(T[d:shp] a) { return with { (. <= iv <= .) : SCALAR(a[iv]); } : genarray(shp, ZERO(R)); }
