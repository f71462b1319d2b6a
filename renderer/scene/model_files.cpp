#include "renderer/scene/model_files.h"

#include <algorithm>

#include "renderer/scene/gltf_loader.h"
#include "renderer/scene/obj_loader.h"
#include "renderer/scene/ply_loader.h"

namespace tl {

const std::vector<std::string>& model_extensions() {
    static const std::vector<std::string> extensions{".obj", ".ply", ".gltf", ".glb"};
    return extensions;
}

bool is_model_extension(const std::string& ending) {
    return std::ranges::find(model_extensions(), ending) != model_extensions().end();
}

std::string joined(const std::vector<std::string>& endings) {
    std::string text;
    for (auto& ending : endings) text += (text.empty() ? "" : ", ") + ending;
    return text;
}

SceneGaps add_model(Scene& scene, const std::string& path, const std::string& ending,
                    ModelParts parts) {
    if (ending == ".gltf" || ending == ".glb")
        return add_gltf(scene, path, parts.materials, parts.view);
    if (ending == ".ply")
        add_ply(scene, path);
    else
        add_obj(scene, path, parts.materials);
    return {};
}

}  // namespace tl
