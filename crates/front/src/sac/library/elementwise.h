/* Functions that work element by element, made from functions on scalars. */

/* `NAME(a, b)` or `a NAME b`, where each element of the result, of type R, is SCALAR of the elements of type T. */
#define OPERATOR(T, R, NAME, SCALAR) \
R[d:shp] NAME(T[d:shp] a, T[d:shp] b) { return with { (. <= iv <= .) : SCALAR(a[iv], b[iv]); } : genarray(shp, ZERO(R)); } \
R[d:shp] NAME(T[d:shp] a, T b) { return with { (. <= iv <= .) : SCALAR(a[iv], b); } : genarray(shp, ZERO(R)); } \
R[d:shp] NAME(T a, T[d:shp] b) { return with { (. <= iv <= .) : SCALAR(a, b[iv]); } : genarray(shp, ZERO(R)); }

/* `NAME(a)`, where each element of the result, of type R, is SCALAR of the element of type T. */
#define FUNCTION(T, R, NAME, SCALAR) \
R[d:shp] NAME(T[d:shp] a) { return with { (. <= iv <= .) : SCALAR(a[iv]); } : genarray(shp, ZERO(R)); }
