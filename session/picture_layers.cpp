#include "session/picture_layers.h"

#include <algorithm>

#include "renderer/aov/aov_samples.h"

namespace tl {

std::vector<ImagePlane> layers_of(Session& session, AovSet channels) {
    AovBuffers layers;
    layers.resize(session.stream(), session.extent(), channels);
    Frame frame = session.newest_frame();
    std::uint32_t n_samples = std::min(session.samples(), kMostLayerSamples);
    for (frame.sample = 0; frame.sample < n_samples; ++frame.sample)
        TL_DISPATCH(session.device(), add_aov_sample(session.stream(), frame,
                                                     session.live_scene().view(), layers.view()));
    return layers.planes(session.stream());
}

}  // namespace tl
