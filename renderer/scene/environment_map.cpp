#include "renderer/scene/environment_map.h"

#include "renderer/images/image_io.h"

namespace tl {

EnvironmentMap load_environment(const std::string& path, Warnings& warnings,
                                const ReadObserver& observer) {
    constexpr float kBrightest = 1e9f;
    ImageF image = read_image(path, observer);
    std::size_t repaired = 0;
    for (vec3& texel : image.rgb)
        for (int c = 0; c < 3; ++c) {
            float& value = texel[c];
            if (value >= 0 && value <= kBrightest) continue;
            value = value > kBrightest ? kBrightest : 0.0f;
            ++repaired;
        }
    if (repaired > 0)
        warnings.push_back(path + ": " + std::to_string(repaired) +
                           " values are negative, not finite or beyond 1e9; they were brought into "
                           "the range");
    return {.extent = image.extent, .texels = std::move(image.rgb)};
}

}  // namespace tl
