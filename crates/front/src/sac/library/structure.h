/* The functions that restructure arrays, for any element type. Modules that instantiate them use `Boxes` and `ScalarArith`.
 * No function calls one of its own name: the compiler would have to find out that this is no recursion. */

/* take(v, a): for each leading axis the first v[k] elements, or for negative v[k] the last -v[k]. Axes without a component of v stay
 * whole. A scalar stands for a vector of one. Error: v is longer than the shape or asks for more than there is. */
#define TAKE(T) \
T[d:_] take(int[n] v, T[d:shp] a) | reaches(v, shp) \
{ \
  return box(covering(_abs_V_(v), shp), taken_from(v, shp), a); \
} \
T[.,d:rest] take(int n, T[m,d:rest] a) | -m <= n && n <= m \
{ \
  shp = _cat_VxV_([m], rest); \
  return box(covering([abs(n)], shp), taken_from([n], shp), a); \
}

/* drop(v, a): without the first v[k] elements of each leading axis, or for negative v[k] the last -v[k]. A scalar stands for a vector of
 * one. Error: v is longer than the shape or drops more than there is. */
#define DROP(T) \
T[d:_] drop(int[n] v, T[d:shp] a) | reaches(v, shp) \
{ \
  return box(left_over(v, shp), rest_from(v, shp), a); \
} \
T[.,d:rest] drop(int n, T[m,d:rest] a) | -m <= n && n <= m \
{ \
  shp = _cat_VxV_([m], rest); \
  return box(left_over([n], shp), rest_from([n], shp), a); \
}

/* box(size, from, a): the box of extents `size` that begins at `from`, which must lie within a. */
#define BOX(T) \
T[d:_] box(int[d] size, int[d] from, T[d:shp] a) \
{ \
  return with { (. <= iv <= .) : a[_add_VxV_(iv, from)]; } : genarray(size, ZERO(T)); \
}

/* window(size, from, e, a): an array of extents `size` whose element iv is a[iv + from], or e where a has no such element. */
#define WINDOW(T) \
T[d:_] window(int[d] size, int[d] from, T e, T[d:shp] a) \
{ \
  first = _min_VxV_(_max_SxV_(0, _neg_V_(from)), size); \
  last = _max_VxV_(first, _min_VxV_(size, _sub_VxV_(shp, from))); \
  return with { (first <= iv < last) : a[_add_VxV_(iv, from)]; } : genarray(size, e); \
}

/* take_apl(v, a): as take, but where v asks for more than there is, zeros are added: behind, or for negative v[k] in front.
 * Error: v is longer than the shape. */
#define TAKE_APL(T) \
T[d:_] take_apl(int[n] v, T[d:shp] a) | n <= d \
{ \
  return window(covering(_abs_V_(v), shp), taken_from(v, shp), ZERO(T), a); \
}

/* drop_apl(v, a): as drop, but where v drops more than there is, nothing is left. Error: v is longer than the shape. */
#define DROP_APL(T) \
T[d:_] drop_apl(int[n] v, T[d:shp] a) | n <= d \
{ \
  return box(left_over(v, shp), rest_from(v, shp), a); \
}

/* tile(s, o, a): the box of extents s at offset o; axes that s and o say nothing of stay whole.
 * Error: s and o are of different length, or the box is not within a. */
#define TILE(T) \
T[d:_] tile(int[n] s, int[m] o, T[d:shp] a) | contains(shp, s, o) \
{ \
  return box(covering(s, shp), padded(o, shp), a); \
}

/* tile_apl(s, o, a): as tile, but the box may reach beyond a, where it holds zeros.
 * Error: s and o are of different length or longer than the shape, or an extent is negative. */
#define TILE_APL(T) \
T[d:_] tile_apl(int[n] s, int[n] o, T[d:shp] a) | n <= d \
{ \
  return window(covering(s, shp), padded(o, shp), ZERO(T), a); \
}

/* a ++ b, and under its other name a +++ b: b behind a along the first axis. a ++++ b: along the second. a ++^ b: along the
 * last. Error: extents of other axes differ. */
#define CATENATE(T) \
T[.,d:rest] ++(T[m,d:rest] a, T[n,d:rest] b) \
{ \
  origin = _mul_SxV_(0, rest); \
  border = _cat_VxV_([m], origin); \
  size = _cat_VxV_([m + n], rest); \
  return with { \
    (_cat_VxV_([0], origin) <= iv < _cat_VxV_([m], rest)) : a[iv]; \
    (border <= iv < size) : b[_sub_VxV_(iv, border)]; \
  } : genarray(size, ZERO(T)); \
} \
T[.,d:rest] +++(T[m,d:rest] a, T[n,d:rest] b) { return a ++ b; } \
T[k,.,d:rest] ++++(T[k,m,d:rest] a, T[k,n,d:rest] b) \
{ \
  origin = _mul_SxV_(0, rest); \
  border = _cat_VxV_([0, m], origin); \
  size = _cat_VxV_([k, m + n], rest); \
  return with { \
    (_cat_VxV_([0, 0], origin) <= iv < _cat_VxV_([k, m], rest)) : a[iv]; \
    (border <= iv < size) : b[_sub_VxV_(iv, border)]; \
  } : genarray(size, ZERO(T)); \
} \
T[d:front,.] ++^(T[d:front,m] a, T[d:front,n] b) \
{ \
  origin = _mul_SxV_(0, front); \
  border = _cat_VxV_(origin, [m]); \
  size = _cat_VxV_(front, [m + n]); \
  return with { \
    (_cat_VxV_(origin, [0]) <= iv < _cat_VxV_(front, [m])) : a[iv]; \
    (border <= iv < size) : b[_sub_VxV_(iv, border)]; \
  } : genarray(size, ZERO(T)); \
}

/* The same with a scalar on one side, which stands for an array of equal elements that has one row; two scalars give a vector of two. */
#define CATENATE_SCALARS(T) \
T[.,d:rest] ++(T[m,d:rest] a, T b) { return a ++ with { } : genarray(_cat_VxV_([1], rest), b); } \
T[.,d:rest] ++(T a, T[n,d:rest] b) { return (with { } : genarray(_cat_VxV_([1], rest), a)) ++ b; } \
T[2] ++(T a, T b) { return [a, b]; }

/* reverse(k, a): axis k from its end to its beginning; reverse(a): the first axis. Error: there is no such axis. */
#define REVERSE(T) \
T[d:shp] reverse(int k, T[d:shp] a) | 0 <= k && k < d \
{ \
  return with { \
    (. <= iv <= .) : a[with_component(iv, k, shp[k] - 1 - iv[k])]; \
  } : genarray(shp, ZERO(T)); \
} \
T[n,d:rest] reverse(T[n,d:rest] a) { return reverse(0, a); }

/* rotate(k, n, a): element i of axis k goes to i + n, and what leaves at one end comes in at the other. rotate(v, a): the same for the
 * leading axes by v[0], v[1], ... Error: there is no axis k, or v is longer than the shape. */
#define ROTATE(T) \
T[d:shp] rotate(int k, int n, T[d:shp] a) | 0 <= k && k < d \
{ \
  origin = _mul_SxV_(0, shp); \
  extent = shp[k]; \
  amount = mod(n, max(extent, 1)); \
  back = with_component(origin, k, amount); \
  forth = with_component(origin, k, extent - amount); \
  return with { \
    (origin <= iv < with_component(shp, k, amount)) : a[_add_VxV_(iv, forth)]; \
    (back <= iv < shp) : a[_sub_VxV_(iv, back)]; \
  } : genarray(shp, ZERO(T)); \
} \
T[d:shp] rotate(int[n] v, T[d:shp] a) | n <= d \
{ \
  for (k = 0; k < n; k++) { \
    a = rotate(k, v[k], a); \
  } \
  return a; \
}

/* shift(v, e, a): element iv goes to iv + v, in the leading axes that v has components for; e comes in. shift(v, a): zeros come in.
 * shift(k, n, e, a): along axis k by n. Error: v is longer than the shape, or there is no axis k. */
#define SHIFT(T) \
T[d:shp] shift(int[n] v, T e, T[d:shp] a) | n <= d \
{ \
  return window(shp, _neg_V_(padded(v, shp)), e, a); \
} \
T[d:shp] shift(int[n] v, T[d:shp] a) | n <= d \
{ \
  return window(shp, _neg_V_(padded(v, shp)), ZERO(T), a); \
} \
T[d:shp] shift(int k, int n, T e, T[d:shp] a) | 0 <= k && k < d \
{ \
  return window(shp, with_component(_mul_SxV_(0, shp), k, -n), e, a); \
}

/* transpose(a): the axes in the opposite order. */
#define TRANSPOSE(T) \
T[d:_] transpose(T[d:shp] a) \
{ \
  return with { (. <= iv <= .) : a[flipped(iv)]; } : genarray(flipped(shp), ZERO(T)); \
}

/* mkarray(s, x): an array of shape s ++ shape(x) of cells x. Error: a negative extent. */
#define MKARRAY(T) \
T[*] mkarray(int[.] s, T[*] x) { return with { } : genarray(s, x); }

#define STRUCTURE(T) \
BOX(T) WINDOW(T) TAKE(T) DROP(T) TAKE_APL(T) DROP_APL(T) TILE(T) TILE_APL(T) CATENATE(T) CATENATE_SCALARS(T) REVERSE(T) ROTATE(T) SHIFT(T) TRANSPOSE(T) MKARRAY(T)
