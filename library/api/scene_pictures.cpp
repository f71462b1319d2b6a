#include "library/api/scene_pictures.h"

#include "renderer/unshown_content.h"
#include "session/add_samples.h"

namespace tl {
namespace {

/// Returns the scene's session, or a new one, with these options. Reuses state of earlier pictures
/// where possible.
std::unique_ptr<Session> take_session(tl_scene& scene, const PictureOptions& options, Extent size,
                                      const ReadProgress& progress) {
    auto devices = find_devices(options.device);
    auto session = std::move(scene.session);
    if (!session) {
        session = std::make_unique<Session>(*devices[0]);
        session->set_scene(scene.scene, progress);
        session->cancellation = &scene.cancellation;
        scene.own_choices = session->settings().choices();
    }
    session->set_devices(devices, progress);
    session->settings().choose(options.choices(scene.own_choices));
    session->camera = session->scene().camera;
    session->moving_camera = nullptr;
    session->seed = options.seed;
    session->resize(size);
    try {
        apply_options(*session, options);
    } catch (const UsageError& error) {
        throw UserError(error.what());  // ids are known by now: a value is wrong
    }
    session->restart();
    return session;
}

/// Takes the samples; returns whether all of them were taken.
bool take_samples(tl_scene& scene, Session& session, int spp, const ProgressCallback& told) {
    bool cancelled = false;
    auto stopped = [&] { return cancelled || scene.cancellation.load() != Cancellation::nothing; };
    auto show = [&] {
        try {
            told("samples", double(session.samples()) / spp);
        } catch (const CallCancelled&) {
            cancelled = true;  // what has been sampled is handed out
        }
    };
    AovBuffers no_layers;
    add_samples(session, spp, no_layers, stopped, show);
    return !stopped();
}

void hand_out(Session& session, tl_picture& picture) {
    picture.samples = static_cast<int>(session.samples());
    if (picture.samples == 0) return;
    auto image = radiance_of(session.stream(), session.display().shown_film());
    float* to = picture.pixels;
    for (vec3 pixel : image.rgb) {
        for (int c = 0; c < 3; ++c) *to++ = pixel[c];
        if (picture.channels == 4) *to++ = 1;
    }
}

}  // namespace

void check_picture(const tl_picture& picture) {
    auto is_extent = [](int n) { return n >= 1 && n <= kLargestExtent; };
    if (!is_extent(picture.width) || !is_extent(picture.height))
        throw UserError("width and height of a picture are 1 to 16384");
    if (picture.channels != 3 && picture.channels != 4)
        throw UserError("a picture has 3 or 4 channels");
    if (!picture.pixels) throw UserError("the pixels are null");
}

/// Discards the session if anything is thrown, since its state may then be incomplete.
tl_status render_picture(tl_scene& scene, const PictureOptions& options, const SequenceFrame* frame,
                         tl_picture& picture, const ProgressCallback& told) {
    auto session =
        take_session(scene, options, {picture.width, picture.height}, reading_progress(told));
    scene.warn(unshown_warning(session->scene(), session->renderer_id()));
    if (frame) show_frame(*session, *frame);
    bool is_whole = take_samples(scene, *session, options.spp, told);
    hand_out(*session, picture);
    scene.warn(session->inspection().take_warning(is_whole));
    scene.session = std::move(session);
    return is_whole ? TL_OK : fail(TL_CANCELLED, CallCancelled().what());
}

}  // namespace tl
