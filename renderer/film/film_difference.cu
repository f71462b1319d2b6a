#include "renderer/film/film_difference.h"

#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

TL_HD vec3 mean_of(vec4 sum) {
    return sum.w > 0 ? vec3(sum) / sum.w : vec3(0);
}

}  // namespace

FilmDifference difference_of_films(Scratch& scratch, FilmView a, FilmView b) {
    FilmDifference result;
    if (!(a.extent == b.extent) || a.extent.pixels() == 0) return result;
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::size_t pixels = a.extent.pixels();
    auto apart = scratch.take<float>(pixels), largest = scratch.take<float>(1);
    auto differs = scratch.take<std::uint32_t>(pixels), count = scratch.take<std::uint32_t>(1);
    parallel_for(
        stream, "film difference", static_cast<std::uint32_t>(pixels), TL_LAMBDA(std::uint32_t i) {
            vec3 d = glm::abs(mean_of(a.radiance_sum[i]) - mean_of(b.radiance_sum[i]));
            float most = maximum(d.x, maximum(d.y, d.z));
            bool finite = d.x < kInfinity && d.y < kInfinity && d.z < kInfinity;
            apart[i] = finite ? most : kInfinity;
            differs[i] = !finite || most > 0;
        });
    reduce<float>(scratch, apart, largest, Operator::maximum);
    reduce<std::uint32_t>(scratch, differs, count);
    auto& device = stream.device();
    device.download(stream, &result.largest, largest.data, sizeof(float));
    device.download(stream, &result.n_differing, count.data, sizeof(std::uint32_t));
    return result;
}

TL_DEVICE_END
