#include "solvers/shallow_water/water_kernels.h"

#include "core/device/parallel_for.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

void add_drop(Stream& stream, const WaterFields& fields, const WaterDrop& given, double* z) {
    WaterFields f = fields;
    WaterDrop drop = given;
    parallel_for(
        stream, "drop", static_cast<std::uint32_t>(f.nx) * static_cast<std::uint32_t>(f.ny),
        TL_LAMBDA(std::uint32_t index) {
            int i = static_cast<int>(index) % f.nx, j = static_cast<int>(index) / f.nx;
            double x = ((i + 0.5) * f.dx - drop.x) / drop.radius;
            double y = ((j + 0.5) * f.dy - drop.y) / drop.radius;
            double near = x * x + y * y;
            if (near < 36) z[i + j * f.pitch] += drop.height * exp(-near);
        });
}

void stop_at_ends(Stream& stream, const WaterLines& lines, double* w) {
    WaterLines l = lines;
    parallel_for(
        stream, "stop at borders", static_cast<std::uint32_t>(l.m), TL_LAMBDA(std::uint32_t line) {
            int t = static_cast<int>(line);
            w[l.cell(0, t)] = w[l.cell(l.n, t)] = 0;
        });
}

void sum_rows(Stream& stream, const WaterFields& fields, double gravity, double lowest_bed,
              View<WaterTotals> rows) {
    WaterFields f = fields;
    parallel_for(
        stream, "totals", static_cast<std::uint32_t>(f.ny),
        TL_LAMBDA(std::uint32_t row) {
            WaterTotals sum;
            sum.lowest_depth = 1e300;
            sum.highest_level = -1e300;
            double cell = f.dx * f.dy;
            for (int i = 0; i < f.nx; ++i) {
                int at = i + static_cast<int>(row) * f.pitch;
                double z = f.z[at], depth = z - f.bed[at];
                double left = f.u[at], right = f.u[at + 1];
                double low = f.v[at], high = f.v[at + f.pitch];
                double squares = left * left + right * right + low * low + high * high;
                sum.volume += cell * depth;
                sum.energy += cell * (gravity * depth * (0.5 * (z + f.bed[at]) - lowest_bed) +
                                      0.25 * depth * squares);
                sum.lowest_depth = -larger_or_nan(-sum.lowest_depth, -depth);
                for (double speed : {left, right, low, high})
                    sum.highest_speed = larger_or_nan(sum.highest_speed, fabs(speed));
                if (depth > 1e-6) {
                    sum.highest_level = larger(sum.highest_level, z);
                    ++sum.n_wet;
                }
            }
            rows[row] = sum;
        },
        8);
}

TL_DEVICE_END
