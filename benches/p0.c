/* Black-Scholes prices of n options in one fused loop: the yardstick for examples/p0_options.l0.
 *
 * This is what one would write by hand in plain C: structure of arrays in, one array out, every
 * intermediate in a register, the loop shared among the threads. Compile it with the flags that
 * Frit gives its own C, so that only the code differs.
 */
#include <math.h>
#include <stdint.h>

static const double rate = 0.08;
static const double volatility = 0.30;

/* The cumulative standard normal distribution, to seven digits. */
static inline double normal(double d) {
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double polynomial =
        k * (0.31938153 +
             k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.39894228040143267794 * exp(-0.5 * d * d) * polynomial;
    return 0.0 < d ? 1.0 - tail : tail;
}

void p0(int64_t n, const uint8_t *restrict call, const double *restrict price,
        const double *restrict strike, const double *restrict years, double *restrict out) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double deviation = volatility * sqrt(years[i]);
        double d1 = (log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                    deviation;
        double d2 = d1 - deviation;
        double discounted = strike[i] * exp(-rate * years[i]);
        double n1 = normal(d1);
        double n2 = normal(d2);
        out[i] = call[i] ? price[i] * n1 - discounted * n2
                         : discounted * (1.0 - n2) - price[i] * (1.0 - n1);
    }
}

#ifdef FRIT_BASELINE /* the entry point of `frit bench --against` */
void frit_baseline(const frit_array *arguments, frit_array *results) {
    p0(arguments[0].shape[0], arguments[0].elements, arguments[1].elements, arguments[2].elements,
       arguments[3].elements, results[0].elements);
}
#endif
