// Changes of an open scene: other materials and lights, another environment, objects moved
// elsewhere. They are kept apart from the scene, so that they can be taken back and saved.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "renderer/scene/transform.h"

namespace tl {

[[nodiscard]] bool operator==(const SurfaceLayers& a, const SurfaceLayers& b);
[[nodiscard]] bool operator==(const Material& a, const Material& b);
[[nodiscard]] bool operator==(const Light& a, const Light& b);

enum class ObjectKind : std::int32_t { mesh, patches, sphere, instance };

/// An object that has a place of its own: an index into the scene's list of its kind.
struct ObjectId {
    ObjectKind kind = ObjectKind::mesh;
    std::uint32_t index = 0;
    auto operator<=>(const ObjectId&) const = default;
};

/// A map of the light from all around, by its file; "": none.
struct EnvironmentChoice {
    std::string file{};
    float rotation = 0;  ///< as in EnvironmentMap
    vec3 scale{1};
    bool operator==(const EnvironmentChoice&) const = default;
};

/// All changes; empty: the scene is as it was opened.
struct SceneEdits {
    std::map<std::uint32_t, Material> materials{};  ///< in place of those of these indices
    std::map<std::uint32_t, Light> lights{};        ///< the same
    std::map<ObjectId, Transform> objects{};        ///< moved about the middles of their bounds
    std::optional<EnvironmentChoice> environment{};
    std::optional<vec3> background{};

    bool operator==(const SceneEdits&) const = default;
};

/// "mesh", "patches", "sphere" or "instance".
[[nodiscard]] const char* name_of(ObjectKind kind);

/// What a change of edits has changed.
struct SceneChange {
    bool any = false;
    bool geometry = false;  ///< more than materials, lights and environment
    bool environment = false;
};

/// A scene together with what was changed of it, and what it was before.
class EditedScene {
  public:
    EditedScene() = default;
    /// `environment_file`: of the scene's own map, "" without one.
    explicit EditedScene(std::shared_ptr<Scene> scene, std::string environment_file = "")
        : scene_(std::move(scene)),
          environment_before_{std::move(environment_file), scene_->environment.rotation,
                              scene_->environment.scale} {}

    [[nodiscard]] const std::shared_ptr<Scene>& scene() const { return scene_; }
    [[nodiscard]] const SceneEdits& edits() const { return edits_; }
    using Object = std::variant<Mesh, PatchSet, Sphere, Instance>;
    /// Objects in other places and another environment, to be put into the scene.
    struct PreparedEdits {
        std::map<ObjectId, Transform> transforms;
        std::map<ObjectId, Object> moved, before;
        std::string environment_file;
        std::optional<EnvironmentMap> environment;  ///< read from that file
        Warnings warnings;                          ///< of reading it
    };
    /// What takes long about apply(): moves objects, reads a map. Changes nothing; may run in
    /// another thread while the scene is only read. Throws like apply().
    [[nodiscard]] PreparedEdits prepare(const SceneEdits& edits) const;

    /// Makes the scene what it was opened as, with these changes. Whoever else uses the scene must
    /// be told; none may be reading it. `prepared`: of these edits, if not null; it is then used
    /// up. Throws UserError, before anything changes, for an environment that cannot be read,
    /// indices that the scene lacks, and a sphere scaled unevenly.
    SceneChange apply(const SceneEdits& edits, PreparedEdits* prepared = nullptr);
    /// Throws UserError where the scene cannot be changed so; reads no file.
    void check(const SceneEdits& edits) const;

    // As the scene was opened:
    [[nodiscard]] const Material& material_before(std::uint32_t index) const;
    [[nodiscard]] const Light& light_before(std::uint32_t index) const;
    [[nodiscard]] const EnvironmentChoice& environment_before() const {
        return environment_before_;
    }
    [[nodiscard]] vec3 background_before() const {
        return background_.value_or(scene_->background);
    }
    /// The environment as it is now.
    [[nodiscard]] EnvironmentChoice environment() const {
        return edits_.environment.value_or(environment_before_);
    }

  private:
    /// Without changes to what has been before.
    [[nodiscard]] SceneEdits without_idle(SceneEdits edits) const;
    [[nodiscard]] Object copy_of(const ObjectId& id) const;
    void put(const ObjectId& id, Object object);
    /// The object as the scene was opened, moved about its middle.
    [[nodiscard]] static Object moved(const Object& before, const Box& bounds,
                                      const Transform& transform);
    [[nodiscard]] Box bounds_before(const Object& before) const;
    void change_object(const ObjectId& id, const Transform* transform, PreparedEdits* prepared);
    void change_environment(const std::optional<EnvironmentChoice>& choice,
                            PreparedEdits* prepared);

    std::shared_ptr<Scene> scene_;
    SceneEdits edits_;
    std::map<std::uint32_t, Material> materials_;  // those replaced, as they were
    std::map<std::uint32_t, Light> lights_;
    std::map<ObjectId, Object> objects_;
    EnvironmentChoice environment_before_;
    std::optional<EnvironmentMap> environment_;  // the scene's own, while there is another one
    std::optional<vec3> background_;
};

// How materials change, in a file and by hand alike, so that both give the same material. `before`
// is the material as the scene was opened: what has its values again is as it was.
/// A material of a kind without layers; mirrors and glass without a colour become white.
[[nodiscard]] Material with_kind(const Material& before, Material now, MaterialKind kind);
/// A material with these layers; `ior`: of what is not metal.
[[nodiscard]] Material with_layers(const Material& before, Material now,
                                   const SurfaceLayers& layers, float ior);
/// A material that shows its textures, or none.
[[nodiscard]] Material with_textures(const Material& before, Material now, bool shown);
[[nodiscard]] bool has_textures(const Material& material);

/// Bounds of an object at rest: of an instance those of its mesh where the instance puts it.
[[nodiscard]] Box bounds_of(const Scene& scene, const ObjectId& id);

}  // namespace tl
