#include <filesystem>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/model_files.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/scene_additions.h"

namespace tl {

glm::dvec3 read_added_model(Scene& scene, const std::string& path, bool materials,
                            const ReadObserver& observer) {
    std::string ending = lower_case(std::filesystem::path(path).extension().string());
    if (!is_model_extension(ending))
        throw UserError("'" + path +
                        "' is not a model that can be added; known: " + joined(model_extensions()));
    const SceneAccess access(path, false);
    (void)add_model(scene, path, ending, {.materials = materials}, ReadContext{observer, &access});
    return scene.offset;
}

}  // namespace tl
