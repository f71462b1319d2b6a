#include "renderer/aov/aov_buffers.h"

#include "core/device/fitting_array.h"

namespace tl {
namespace {

bool is_number(std::size_t channel) {
    return aov_rows()[channel].kind == AovKind::number;
}

vec3 mean_of(std::size_t channel, vec4 sum) {
    if (sum.w > 0) return vec3(sum) / sum.w;
    return channel == static_cast<std::size_t>(AovChannel::depth) ? vec3(kInfinity) : vec3(0);
}

}  // namespace

void AovBuffers::resize(Stream& stream, Extent extent, AovSet channels) {
    if (extent == extent_ && channels == channels_) return;
    auto pixels = static_cast<std::size_t>(extent.pixels());
    channels_.reset();  // none while an allocation may throw
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!channels[c] || is_number(c)) values_[c] = {};
        if (!channels[c] || !is_number(c)) ids_[c] = {};
    }
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!channels[c]) continue;
        if (is_number(c)) {
            resize_fitting(ids_[c], stream, pixels);
            ids_[c].fill_zero(stream);
        } else {
            resize_fitting(values_[c], stream, pixels);
            values_[c].fill_zero(stream);
        }
    }
    extent_ = extent;
    channels_ = channels;
}

AovView AovBuffers::view() {
    AovView view{};
    view.extent = extent_;
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!channels_[c]) continue;
        view.values[c] = values_[c].data();
        view.ids[c] = ids_[c].data();
    }
    return view;
}

vec3 AovBuffers::value(Stream& stream, AovChannel channel, int x, int y) const {
    auto c = static_cast<std::size_t>(channel);
    TL_ASSERT_OP(channels_[c], ==, true);
    std::ptrdiff_t at = std::ptrdiff_t{y} * extent_.width + x;
    if (is_number(c)) {
        std::uint32_t id = 0;
        stream.device().download(stream, &id, ids_[c].data() + at, sizeof id);
        return vec3(static_cast<float>(id));
    }
    vec4 sum(0);
    stream.device().download(stream, &sum, values_[c].data() + at, sizeof sum);
    return mean_of(c, sum);
}

std::vector<ImagePlane> AovBuffers::planes(Stream& stream) const {
    std::vector<ImagePlane> planes;
    for (std::size_t c = 0; c < kAovCount; ++c) {
        if (!channels_[c]) continue;
        auto& row = aov_rows()[c];
        if (is_number(c)) {
            planes.push_back({row.id + "." + row.components[0], ids_[c].download(stream)});
            continue;
        }
        auto sums = values_[c].download(stream);
        for (std::size_t k = 0; k < row.components.size(); ++k) {
            std::vector<float> plane;
            plane.reserve(sums.size());
            for (vec4 sum : sums) plane.push_back(mean_of(c, sum)[static_cast<int>(k)]);
            planes.push_back({row.id + "." + row.components[k], std::move(plane)});
        }
    }
    return planes;
}

}  // namespace tl
