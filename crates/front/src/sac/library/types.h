/* The element types of the language and what the library has to know of them. `FOR_...(DO)` writes `DO(type)` for each. */

#define FOR_SIGNED(DO) DO(byte) DO(short) DO(int) DO(long) DO(longlong)
#define FOR_UNSIGNED(DO) DO(ubyte) DO(ushort) DO(uint) DO(ulong) DO(ulonglong)
#define FOR_INTEGERS(DO) FOR_SIGNED(DO) FOR_UNSIGNED(DO)
#define FOR_REALS(DO) DO(float) DO(double)
#define FOR_NUMBERS(DO) FOR_INTEGERS(DO) FOR_REALS(DO)
#define FOR_ALL(DO) FOR_NUMBERS(DO) DO(bool) DO(char)

/* `ZERO(type)`: what arrays hold where nothing else is said; the neutral element of a sum. */
#define ZERO(T) ZERO_##T
#define ZERO_byte 0b
#define ZERO_short 0s
#define ZERO_int 0
#define ZERO_long 0l
#define ZERO_longlong 0ll
#define ZERO_ubyte 0ub
#define ZERO_ushort 0us
#define ZERO_uint 0ui
#define ZERO_ulong 0ul
#define ZERO_ulonglong 0ull
#define ZERO_float 0.0f
#define ZERO_double 0.0
#define ZERO_bool false
#define ZERO_char '\0'
#define ZERO_complex ((complex)[0.0, 0.0])

/* `ONE(type)`: the neutral element of a product. */
#define ONE(T) ONE_##T
#define ONE_byte 1b
#define ONE_short 1s
#define ONE_int 1
#define ONE_long 1l
#define ONE_longlong 1ll
#define ONE_ubyte 1ub
#define ONE_ushort 1us
#define ONE_uint 1ui
#define ONE_ulong 1ul
#define ONE_ulonglong 1ull
#define ONE_float 1.0f
#define ONE_double 1.0
#define ONE_complex ((complex)[1.0, 0.0])

/* `GREATEST(type)`: the neutral element of a minimum. */
#define GREATEST(T) GREATEST_##T
#define GREATEST_byte 127b
#define GREATEST_short 32767s
#define GREATEST_int 2147483647
#define GREATEST_long 9223372036854775807l
#define GREATEST_longlong 9223372036854775807ll
#define GREATEST_ubyte 255ub
#define GREATEST_ushort 65535us
#define GREATEST_uint 4294967295ui
#define GREATEST_ulong 18446744073709551615ul
#define GREATEST_ulonglong 18446744073709551615ull
#define GREATEST_float 3.40282346638528859812e38f
#define GREATEST_double 1.7976931348623157e308

/* `LEAST(type)`: the neutral element of a maximum. */
#define LEAST(T) LEAST_##T
#define LEAST_byte _sub_SxS_(_neg_S_(127b), 1b)
#define LEAST_short _sub_SxS_(_neg_S_(32767s), 1s)
#define LEAST_int _sub_SxS_(_neg_S_(2147483647), 1)
#define LEAST_long _sub_SxS_(_neg_S_(9223372036854775807l), 1l)
#define LEAST_longlong _sub_SxS_(_neg_S_(9223372036854775807ll), 1ll)
#define LEAST_ubyte 0ub
#define LEAST_ushort 0us
#define LEAST_uint 0ui
#define LEAST_ulong 0ul
#define LEAST_ulonglong 0ull
#define LEAST_float _neg_S_(3.40282346638528859812e38f)
#define LEAST_double _neg_S_(1.7976931348623157e308)
