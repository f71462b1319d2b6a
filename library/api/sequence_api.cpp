// The C interface over sequences of pictures.
#include "library/api/scene_pictures.h"

struct tl_sequence {
    tl_scene* scene;
    tl::SequenceOptions options;
    std::vector<tl::SequenceFrame> frames;
    std::uint64_t n_cancelled;  ///< of the scene when this was opened
};

namespace tl {
namespace {

tl_sequence sequence_of(tl_scene& scene, const SequenceOptions& options) {
    tl_sequence sequence{&scene, options, frames_of(options.plan), scene.n_cancelled};
    auto start = scene.scene->camera;
    Warnings warnings;
    try {
        apply_view(start, options);
        follow_bookmarks(sequence.options.plan, scene.bookmarks);
        place_cameras(sequence.frames, sequence.options.plan, start, scene.scene->offset, warnings);
    } catch (const UsageError& error) {
        throw UserError(error.what());  // a value is wrong
    }
    for (auto& line : warnings.lines()) scene.warn(line);
    return sequence;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_sequence_open(tl_scene* scene, const tl_setting* settings, size_t n_settings,
                           tl_sequence** sequence) {
    if (sequence) *sequence = nullptr;
    if (!scene || !sequence) return fail(TL_INVALID, "an argument is null");
    return guarded(
        [&] {
            auto options = sequence_options(settings_from(settings, n_settings));
            *sequence = new tl_sequence(sequence_of(*scene, options));
            return TL_OK;
        },
        TL_INVALID);
}
void tl_sequence_close(tl_sequence* sequence) {
    delete sequence;
}

size_t tl_sequence_count(const tl_sequence* sequence) {
    return sequence ? sequence->frames.size() : 0;
}
tl_status tl_sequence_frame(const tl_sequence* sequence, size_t index, tl_frame* about) {
    if (!sequence || !about) return fail(TL_INVALID, "an argument is null");
    if (index >= sequence->frames.size()) return fail(TL_UNKNOWN, "there is no such frame");
    auto& frame = sequence->frames[index];
    about->number = frame.number;
    about->time = double(frame.time);
    store(frame.camera.eye, about->eye);
    store(frame.camera.target, about->target);
    store(frame.camera.up, about->up);
    about->fov = double(frame.camera.vertical_fov);
    return TL_OK;
}

tl_status tl_render_frame(tl_sequence* sequence, size_t index, tl_picture* picture,
                          tl_progress progress, void* context) {
    if (!sequence || !picture) return fail(TL_INVALID, "an argument is null");
    picture->samples = 0;
    if (index >= sequence->frames.size()) return fail(TL_UNKNOWN, "there is no such frame");
    auto& scene = *sequence->scene;
    std::scoped_lock lock(scene.rendering);
    scene.cancellation = Cancellation::nothing;
    return guarded(
        [&] {
            check_picture(*picture);
            // Also where that was between two frames. Later ones find what was just reset.
            if (scene.n_cancelled != sequence->n_cancelled) throw CallCancelled();
            return render_picture(scene, sequence->options, &sequence->frames[index], *picture,
                                  {progress, context});
        },
        TL_INVALID);
}

}  // extern "C"
#pragma GCC visibility pop
}  // namespace tl
