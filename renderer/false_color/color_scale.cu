// The kernels of a scale of false colours.
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/false_color/heat_scale.h"

TL_DEVICE_BEGIN

namespace {

// Bins of the histogram: one for values below 1, then 16 per octave up to 65536.
constexpr std::uint32_t kBins = 257;
constexpr std::uint32_t kBinShift = 19, kBinOfOne = 127u << 4;
constexpr float kHighest = 65536;

TL_HD std::uint32_t bin_of(float value) {
    if (!(value >= 1)) return 0;
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    std::uint32_t bin = (bits >> kBinShift) - kBinOfOne + 1;
    return bin < kBins ? bin : kBins - 1;
}
/// The upper end of a bin.
TL_HD float end_of_bin(std::uint32_t bin) {
    std::uint32_t bits = (bin + kBinOfOne) << kBinShift;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

void measure_heat(Scratch& scratch, View<const float> values, View<HeatReadout> readout) {
    float* to = &readout.data->minimum;
    reduce<float>(scratch, values, {to, 1}, Operator::minimum);
    reduce<float>(scratch, values, {to + 1, 1}, Operator::sum);
    reduce<float>(scratch, values, {to + 2, 1}, Operator::maximum);
}

void find_heat_percentile(Scratch& scratch, View<const float> values, float percentile,
                          bool relative, View<HeatReadout> readout) {
    // Enough samples for a percentile, few enough that atomics on the same bins cost little.
    constexpr std::uint32_t kMostCounted = 1u << 16;
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto bins = scratch.take<std::uint32_t>(kBins), upto = scratch.take<std::uint32_t>(kBins);
    fill(stream, bins, 0u);
    auto n = static_cast<std::uint32_t>(values.size);
    std::uint32_t step = (n + kMostCounted - 1) / kMostCounted, counted = n / step;
    parallel_for(
        stream, "heat histogram", counted, TL_LAMBDA(std::uint32_t i) {
            // Jitter, so that not every row uses the same columns.
            std::uint32_t jitter = (i * 2654435761u >> 8) % step;
            float factor = relative ? kHighest / readout[0].maximum : 1.0f;
            atomic_add(&bins[bin_of(values[i * step + jitter] * factor)], 1u);
        });
    inclusive_scan<std::uint32_t>(scratch, bins, upto);
    auto wanted = static_cast<std::uint32_t>(ceilf(static_cast<float>(counted) * percentile / 100));
    wanted = wanted < 1 ? 1 : wanted < counted ? wanted : counted;
    parallel_for(
        stream, "heat percentile", kBins, TL_LAMBDA(std::uint32_t bin) {
            if (upto[bin] < wanted || (bin > 0 && upto[bin - 1] >= wanted)) return;
            float unit = relative ? readout[0].maximum / kHighest : 1.0f;
            readout[0].top = minimum(end_of_bin(bin) * unit, readout[0].maximum);
        });
}

void find_heat_means(Stream& stream, View<const std::uint32_t> sums, std::uint32_t n_samples,
                     View<float> values) {
    // Divide exactly as HeatScale::value() does, so that rounding puts no pixel above the maximum.
    auto n = static_cast<float>(n_samples);
    parallel_for(
        stream, "mean counts", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) { values[i] = static_cast<float>(sums[i]) / n; });
}

void set_heat_top(Stream& stream, View<HeatReadout> readout, float top) {
    parallel_for(
        stream, "heat scale", 1,
        TL_LAMBDA(std::uint32_t) { readout[0].top = top > 0 ? top : readout[0].maximum; });
}

void copy_heat_top(Stream& stream, View<const HeatReadout> from, View<HeatReadout> to) {
    parallel_for(
        stream, "shared scale", 1, TL_LAMBDA(std::uint32_t) { to[0].top = from[0].top; });
}

void write_heat_colors(Stream& stream, View<const float> values, View<const HeatReadout> readout,
                       View<const vec3> colors, const FilmView& film) {
    FilmView out = film;
    parallel_for(
        stream, "false colors", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) {
            float top = readout[0].top;
            float t = top > 0 ? minimum(values[i] / top, 1.0f) : 0;
            auto last = static_cast<float>(colors.size - 1);
            out.radiance_sum[i] = vec4(colors[static_cast<std::size_t>(t * last + 0.5f)], 1);
        });
}

TL_DEVICE_END
