// The C interface over scenes and the pictures that a session makes of them.
#include <atomic>
#include <deque>
#include <mutex>

#include "accel/parallel/read_progress.h"
#include "library/api/guarded.h"
#include "library/api/scene_settings.h"
#include "renderer/scene/loaders/loader.h"
#include "session/add_samples.h"
#include "session/water/water_scenes.h"

struct tl_scene {
    std::shared_ptr<const tl::Scene> scene;

    std::atomic<tl::Abandon> abandon = tl::Abandon::nothing;
    std::mutex rendering;                    ///< guards the next two
    std::unique_ptr<tl::Session> session{};  ///< of earlier pictures; null: none
    tl::Session::Choices own_choices{};      ///< of the scene's file, and defaults

    std::mutex telling;  ///< guards the warnings
    std::deque<std::string> warnings{};
};

namespace tl {
namespace {

std::span<const tl_setting> settings_from(const tl_setting* settings, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (!settings || !settings[i].name || !settings[i].value)
            throw UserError("a setting is null");
    return {settings, count};
}

/// Who is told how far a call is. Throws CallCancelled where the answer is to cancel it.
struct Told {
    tl_progress progress;
    void* context;

    void operator()(const char* what, double share) const {
        if (progress && progress(context, what, share) != 0) throw CallCancelled();
    }
};

/// While it lives, what this thread reads and makes of it is told.
class ToldReading {
  public:
    explicit ToldReading(const Told& told)
        : progress_([told](double share) { told("reading", share); },
                    [told](const char* what, double share) { told(what, share); }) {}

  private:
    ReadProgress progress_;
};

void store(const vec3& vector, double (&numbers)[3]) {
    for (int i = 0; i < 3; ++i) numbers[i] = double(vector[i]);
}

tl_scene_info info_of(const Scene& scene) {
    tl_scene_info info{};
    info.n_triangles = scene.visible_triangle_count();
    info.n_patches = scene.patch_count();
    info.n_spheres = scene.spheres.size();
    info.n_splats = scene.splats.size();
    info.n_gaussians = scene.gaussian_count();
    Box bounds = bounds_of(scene);
    if (!bounds.empty()) {
        store(bounds.lo, info.lower);
        store(bounds.hi, info.upper);
    }
    for (int i = 0; i < 3; ++i) info.offset[i] = scene.offset[i];
    store(scene.camera.eye, info.eye);
    store(scene.camera.target, info.target);
    store(scene.camera.up, info.up);
    info.fov = double(scene.camera.vertical_fov);
    info.duration = double(scene.duration);
    return info;
}

tl_status check_picture(const tl_picture& picture) {
    auto is_extent = [](int n) { return n >= 1 && n <= kLargestExtent; };
    if (!is_extent(picture.width) || !is_extent(picture.height))
        return fail(TL_INVALID, "width and height of a picture are 1 to 16384");
    if (picture.channels != 3 && picture.channels != 4)
        return fail(TL_INVALID, "a picture has 3 or 4 channels");
    if (!picture.pixels) return fail(TL_INVALID, "the pixels are null");
    return TL_OK;
}

/// The scene's session, or a new one, with these options; what it keeps from earlier pictures
/// serves where it can.
std::unique_ptr<Session> take_session(tl_scene& scene, const PictureOptions& options, Extent size) {
    auto& device = find_device(options.device);
    auto session = std::move(scene.session);
    if (!session) {
        session = std::make_unique<Session>(device);
        session->set_scene(scene.scene);
        session->abandon = &scene.abandon;
        scene.own_choices = session->choices();
    }
    session->set_device(device);
    session->choose(options.choices(scene.own_choices));
    session->camera = session->scene().camera;
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

/// Takes the samples; returns whether all of them were.
bool take_samples(tl_scene& scene, Session& session, int spp, const Told& told) {
    bool cancelled = false;
    auto stopped = [&] { return cancelled || scene.abandon.load() != Abandon::nothing; };
    auto show = [&] {
        auto status = session.status();
        bool prepares = status.phase == RendererStatus::Phase::preparing;
        try {
            if (prepares)
                told(status.what.c_str(), double(status.progress));
            else
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
    auto image = radiance_of(session.stream(), session.shown_film());
    float* to = picture.pixels;
    for (vec3 pixel : image.rgb) {
        for (int c = 0; c < 3; ++c) *to++ = pixel[c];
        if (picture.channels == 4) *to++ = 1;
    }
}

/// What is thrown may leave anything half done: then the session is gone.
tl_status render(tl_scene& scene, const PictureOptions& options, tl_picture& picture,
                 const Told& told) {
    auto prepare = [&] {
        ToldReading reading(told);
        return take_session(scene, options, {picture.width, picture.height});
    };
    auto session = prepare();
    bool is_whole = take_samples(scene, *session, options.spp, told);
    hand_out(*session, picture);
    if (auto warning = session->take_tree_warning(is_whole); !warning.empty()) {
        std::scoped_lock lock(scene.telling);
        scene.warnings.push_back(warning);
    }
    scene.session = std::move(session);
    return is_whole ? TL_OK : fail(TL_CANCELLED, CallCancelled().what());
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_scene_open(const char* path, const tl_setting* settings, size_t n_settings,
                        tl_progress progress, void* context, tl_scene** scene) {
    if (scene) *scene = nullptr;
    if (!path || !scene) return fail(TL_INVALID, "an argument is null");
    SessionOptions options;
    auto read = [&] {
        return options = opening_options(settings_from(settings, n_settings)), TL_OK;
    };
    if (auto status = guarded(read, TL_INVALID)) return status;
    return guarded(
        [&] {
            add_water_generators();
            ToldReading reading({progress, context});
            auto document = load_document(path, options.environment, options.allow_outside);
            auto& lines = document.scene()->warnings.lines();
            *scene = new tl_scene{.scene = document.scene(),
                                  .rendering = {},
                                  .telling = {},
                                  .warnings = {lines.begin(), lines.end()}};
            return TL_OK;
        },
        TL_BAD_FILE);
}
void tl_scene_close(tl_scene* scene) {
    delete scene;
}

tl_status tl_scene_about(tl_scene* scene, tl_scene_info* info) {
    return guarded([&] {
        if (!scene || !info) return fail(TL_INVALID, "an argument is null");
        *info = info_of(*scene->scene);
        std::scoped_lock lock(scene->telling);
        info->n_warnings = scene->warnings.size();
        return TL_OK;
    });
}
const char* tl_scene_warning(tl_scene* scene, size_t index) {
    if (!scene) return nullptr;
    std::scoped_lock lock(scene->telling);
    return index < scene->warnings.size() ? scene->warnings[index].c_str() : nullptr;
}

tl_status tl_render(tl_scene* scene, const tl_setting* settings, size_t n_settings,
                    tl_picture* picture, tl_progress progress, void* context) {
    if (!scene || !picture) return fail(TL_INVALID, "an argument is null");
    picture->samples = 0;
    if (auto status = check_picture(*picture)) return status;
    PictureOptions options;
    auto read = [&] {
        return options = picture_options(settings_from(settings, n_settings)), TL_OK;
    };
    if (auto status = guarded(read, TL_INVALID)) return status;
    std::scoped_lock lock(scene->rendering);
    scene->abandon = Abandon::nothing;
    return guarded(
        [&] {
            return render(*scene, options, *picture, {progress, context});
        },
        TL_INVALID);
}

tl_status tl_scene_cancel(tl_scene* scene) {
    if (!scene) return fail(TL_INVALID, "the scene is null");
    scene->abandon = Abandon::everything;
    return TL_OK;
}

}  // extern "C"
#pragma GCC visibility pop
}  // namespace tl
