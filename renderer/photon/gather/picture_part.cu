#include "renderer/photon/gather/picture_part.h"

#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Copies colours to `to`. The number of rays, in w, is unchanged.
void copy_colors(Stream& stream, View<const vec4> from, View<vec4> to) {
    parallel_for(
        stream, "part of the picture", static_cast<std::uint32_t>(to.size),
        TL_LAMBDA(std::uint32_t i) { to[i] = vec4(vec3(from[i]), to[i].w); });
}
void clear_colors(Stream& stream, View<vec4> sums) {
    parallel_for(
        stream, "part of the picture", static_cast<std::uint32_t>(sums.size),
        TL_LAMBDA(std::uint32_t i) { sums[i] = vec4(vec3(0), sums[i].w); });
}

}  // namespace

PicturePart::PicturePart(Scratch& scratch, PhotonShow show, std::size_t n_sums)
    : show_(is_map(show) ? PhotonShow::picture : show) {
    if (show_ == PhotonShow::picture) return;
    kept_ = scratch.take<vec4>(n_sums);
    auto& stream = scratch.stream();
    stream.device().fill_zero(stream, kept_.data, kept_.size * sizeof(vec4));
}

PathJob PicturePart::of(PathJob job) const {
    if (show_ != PhotonShow::picture) job.frame.limits.direct_lighting = DirectLighting::lights;
    return job;
}

View<vec4> PicturePart::looked_up(View<vec4> sums) const {
    return kept_.empty() ? sums : kept_;
}

void PicturePart::choose(Stream& stream, std::uint32_t bounce, View<vec4> sums) const {
    switch (show_) {
        case PhotonShow::picture:
            break;
        case PhotonShow::direct:
            if (bounce == 0) copy_colors(stream, sums, kept_);
            copy_colors(stream, kept_, sums);
            break;
        case PhotonShow::specular:
            if (bounce == 0) clear_colors(stream, sums);
            break;
        case PhotonShow::caustics:
        case PhotonShow::indirect:
            copy_colors(stream, kept_, sums);
            break;
        default:  // maps cover the light of all parts
            break;
    }
}

TL_DEVICE_END
