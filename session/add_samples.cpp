#include "session/add_samples.h"

#include "core/device/steps_in_flight.h"

namespace tl {
namespace {

/// Adds one sample to the auxiliary layers, for the frame that the session has just rendered.
void add_layers(Session& session, AovBuffers& layers) {
    SceneView scene = session.live_scene().view();
    TL_DISPATCH(session.device(), add_aov_sample(session.stream(), session.newest_frame(), scene,
                                                 layers.view(), session.share().region));
}

}  // namespace

void add_samples(Session& session, int spp, AovBuffers& layers,
                 const std::function<bool()>& stopped, const std::function<void()>& show) {
    constexpr std::size_t kFramesInFlight = 4;  // more would have to be waited for after Ctrl+C
    StepsInFlight ahead(kFramesInFlight);
    auto wanted = static_cast<std::uint32_t>(spp);
    // Whether a picture is finished is not known before its first sample.
    auto finished = [&] { return session.samples() > 0 && session.finished(); };
    auto wants_more = [&] { return session.samples() < wanted && !finished() && !stopped(); };
    do {
        while (wants_more()) {
            session.begin_frame();
            if (session.render_frame()) add_layers(session, layers);
            session.end_frame();
            ahead.end_step(session.stream());
            show();
        }
        // If a further device fails in the end, the picture restarts without it.
        (void)session.film();
    } while (wants_more());
    session.stream().synchronize();
}

}  // namespace tl
