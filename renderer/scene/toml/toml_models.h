// Reads model files once that several tables of a scene file name.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "renderer/scene/loaders/model_files.h"

namespace tl {

/// Contents that a model file appended to a scene, before they are transformed.
struct ReadModel {
    std::size_t first_material = 0;  ///< index of its first material
    std::vector<Material> materials;
    std::vector<Mesh> meshes;
    std::vector<Sphere> spheres;
    std::vector<Splat> splats;
    glm::dvec3 offset{0};  ///< subtracted from all of its coordinates
};

/// The models of one scene file, kept until the last table that names them has been read.
class RepeatedModels {
  public:
    /// Announces one more table that names a file, spelled as in the table.
    void expect(const std::string& file) { ++uses_[file]; }
    /// Appends the file's model as add_model would; returns false if it must be read. It must have
    /// been read with the same `parts`, and have only triangles and points. Its textures are
    /// shared, not repeated.
    [[nodiscard]] bool add(Scene& scene, const std::string& file, ModelParts parts);
    /// Keeps what add_model has appended since `mark`, if another table needs it.
    void keep(const Scene& scene, const SceneMark& mark, const std::string& file, ModelParts parts);

  private:
    struct Key {
        std::string file;
        ModelParts parts;
        auto operator<=>(const Key&) const = default;
    };
    std::map<std::string, int> uses_;  ///< tables that have not been read yet
    std::map<Key, ReadModel> models_;
};

}  // namespace tl
