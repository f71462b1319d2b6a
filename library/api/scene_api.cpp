// The C interface over scenes and their pictures.
#include "library/api/scene_pictures.h"
#include "renderer/scene/loaders/loader.h"
#include "session/water/water_scenes.h"

namespace tl {
namespace {

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
            auto document = load_document(path, options.environment, options.allow_outside,
                                          {reading_progress({progress, context})});
            auto& lines = document.scene()->warnings.lines();
            *scene = new tl_scene{.scene = document.scene(),
                                  .bookmarks = document.bookmarks,
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
    PictureOptions options;
    auto read = [&] {
        check_picture(*picture);
        return options = picture_options(settings_from(settings, n_settings)), TL_OK;
    };
    if (auto status = guarded(read, TL_INVALID)) return status;
    std::scoped_lock lock(scene->rendering);
    scene->cancellation = Cancellation::nothing;
    return guarded(
        [&] {
            return render_picture(*scene, options, nullptr, *picture, {progress, context});
        },
        TL_INVALID);
}

tl_status tl_scene_cancel(tl_scene* scene) {
    if (!scene) return fail(TL_INVALID, "the scene is null");
    ++scene->n_cancelled;
    scene->cancellation = Cancellation::everything;
    return TL_OK;
}

}  // extern "C"
#pragma GCC visibility pop
}  // namespace tl
