#include "renderer/scene/loaders/model_files.h"

#include <algorithm>
#include <new>

#include "core/base/error.h"
#include "renderer/scene/loaders/assimp_loader.h"
#include "renderer/scene/loaders/gltf/gltf_loader.h"
#include "renderer/scene/loaders/obj/obj_loader.h"
#include "renderer/scene/loaders/patch_files.h"
#include "renderer/scene/loaders/ply/ply_loader.h"
#include "renderer/scene/loaders/points/las_loader.h"
#include "renderer/scene/loaders/points/xyz_loader.h"
#include "renderer/scene/loaders/stl/stl_loader.h"

namespace tl {
namespace {

/// Ending that the reader of .las refuses, with advice to unpack the file.
constexpr const char* kPackedLas = ".laz";

/// Points as lines of text.
constexpr const char* kTextClouds[] = {".xyz", ".pts", ".asc", ".csv"};

}  // namespace

const std::vector<std::string>& model_extensions() {
    static const std::vector<std::string> extensions = [] {
        std::vector<std::string> all{".obj", ".ply", ".gltf", ".glb", ".stl", ".las"};
        all.insert(all.end(), std::begin(kTextClouds), std::end(kTextClouds));
        for (auto* more : {&patch_extensions(), &assimp_extensions()})
            all.insert(all.end(), more->begin(), more->end());
        return all;
    }();
    return extensions;
}

bool is_model_extension(const std::string& ending) {
    return is_assimp_extension(ending) || ending == kPackedLas ||
           std::ranges::find(model_extensions(), ending) != model_extensions().end();
}

bool is_patch_extension(const std::string& ending) {
    return std::ranges::find(patch_extensions(), ending) != patch_extensions().end();
}

SceneGaps add_model(Scene& scene, const std::string& path, const std::string& ending,
                    ModelParts parts, const ReadContext& context) {
    try {
        if (ending == ".gltf" || ending == ".glb")
            return add_gltf(scene, path, parts.materials, parts.view, context);
        if (ending == ".stl") {
            add_stl(scene, path, parts.materials, context);
            // models for printing lie on a plane z = 0
            if (parts.view) scene.camera.up = {0, 0, 1};
            return {};
        }
        if (is_assimp_extension(ending))
            return add_by_assimp(scene, path, ending, parts.materials, parts.view, context);
        if (is_patch_extension(ending)) {
            add_patches(scene, path, ending, context);
            // The teapot and similar models stand on the plane z = 0.
            if (parts.view && ending != ".pov" && ending != ".inc") scene.camera.up = {0, 0, 1};
            return {};
        }
        bool is_las = ending == ".las" || ending == kPackedLas;
        if (is_las || std::ranges::find(kTextClouds, ending) != std::end(kTextClouds)) {
            (is_las ? add_las : add_xyz)(scene, path, parts.materials, parts.drop_outliers,
                                         context);
            if (parts.view) scene.camera.up = {0, 0, 1};  // convention of surveys
            return {};
        }
        if (ending == ".ply") {
            add_ply(scene, path, parts.materials, parts.drop_outliers, parts.gaussians,
                    parts.radiosity, context);
            if (parts.view && !scene.gaussians.empty()) {
                scene.camera.up = {0, -1, 0};  // convention of the cameras that they were made from
                scene.settings["render"]["renderer"] = "path";  // whitted does not show them
            }
        } else {
            add_obj(scene, path, parts.materials, context);
        }
        return {};
    } catch (const std::bad_alloc&) {
        throw UserError(path + ": not enough memory for this file");
    }
}

}  // namespace tl
