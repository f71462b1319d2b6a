// Edits of an open scene: materials, lights, the environment, transforms of objects, and parts that
// are added, hidden, deleted or renamed. They are kept apart from the scene, so that they can be
// undone and saved.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/read_observer.h"
#include "renderer/scene/scene_additions.h"
#include "renderer/scene/scene_items.h"
#include "renderer/scene/transform.h"

namespace tl {

[[nodiscard]] bool operator==(const SurfaceLayers& a, const SurfaceLayers& b);
[[nodiscard]] bool operator==(const Material& a, const Material& b);
[[nodiscard]] bool operator==(const Light& a, const Light& b);

/// Choice of an environment map by its file; "": none.
struct EnvironmentChoice {
    std::string file{};
    float rotation = 0;  ///< EnvironmentMap::rotation, degrees
    vec3 scale{1};
    bool operator==(const EnvironmentChoice&) const = default;
};

/// All edits; empty: the scene is as it was opened.
struct SceneEdits {
    std::map<std::uint32_t, Material> materials{};  ///< replaced materials, by index
    std::map<std::uint32_t, Light> lights{};        ///< replaced lights, by index
    /// Transforms about the centres of the objects' bounds.
    std::map<ObjectId, Transform> objects{};
    std::optional<EnvironmentChoice> environment{};
    std::optional<vec3> background{};
    std::vector<SceneAddition> added{};  ///< in this order; its parts follow the scene's own
    ItemMarks marks{};

    bool operator==(const SceneEdits&) const = default;
};

/// Kinds of data changed by apply().
struct SceneChange {
    bool any = false;
    bool geometry = false;  ///< anything but materials, lights and environment
    bool environment = false;
};

/// A scene together with its edits, and the original values. Edits name all parts by numbers that
/// hidden and deleted ones have, too. Renderers see a scene without these: of spheres, splats,
/// instances and lights the others follow each other; meshes, patches and Gaussians are empty.
class EditedScene {
  public:
    EditedScene() = default;
    /// `environment_file`: file of the scene's own map, "" without one.
    explicit EditedScene(std::shared_ptr<Scene> scene, std::string environment_file = "")
        : scene_(std::move(scene)),
          environment_before_{std::move(environment_file), scene_->environment.rotation,
                              scene_->environment.scale} {}

    [[nodiscard]] const std::shared_ptr<Scene>& scene() const { return scene_; }
    [[nodiscard]] const SceneEdits& edits() const { return edits_; }
    /// An object; lists are clouds.
    using Object = std::variant<Mesh, PatchSet, Sphere, Instance, GaussianSet, std::vector<Sphere>,
                                std::vector<Splat>>;
    /// Transformed objects and a loaded environment, ready to be put into the scene.
    struct PreparedEdits {
        std::map<ObjectId, Transform> transforms;
        std::map<ObjectId, Object> moved, before;
        std::string environment_file;
        std::optional<EnvironmentMap> environment;  ///< read from that file
        Warnings warnings;                          ///< warnings of reading it
        std::size_t n_kept = 0;                     ///< additions that stay
        /// Parts of the additions after these.
        std::optional<std::vector<std::shared_ptr<AddedPart>>> parts{};
    };
    /// Does the slow part of apply(): transforms objects, reads a map. Changes nothing; may run in
    /// another thread while the scene is only read. Throws like apply().
    [[nodiscard]] PreparedEdits prepare(const SceneEdits& edits) const;

    /// Restores the scene as it was opened and applies these edits. The caller must notify all
    /// other users of the scene; none may be reading it. `prepared`: result of prepare() for these
    /// edits, or null; it is consumed. `observer`: of reading a map. Throws UserError, before
    /// anything changes, for an environment that cannot be read, indices that the scene lacks, and
    /// spheres and clouds scaled unevenly.
    SceneChange apply(const SceneEdits& edits, PreparedEdits* prepared = nullptr,
                      const ReadObserver& observer = {});
    /// Throws UserError where these edits cannot be applied; reads no file. Their additions must be
    /// those of edits().
    void check(const SceneEdits& edits) const;
    /// Takes note of the scene's own parts, once it is complete; apply() does so, too.
    void note_contents();
    /// Reads the model file of an addition that is to follow those of edits().
    [[nodiscard]] std::shared_ptr<AddedPart> load_part(const SceneAddition& addition,
                                                       const ReadObserver& observer = {}) const;

    /// End of the scene's own parts, which additions follow.
    [[nodiscard]] SceneEnd own_end() const { return end_after(0); }

    // Parts by their numbers, whether or not they are shown, as they are now.
    [[nodiscard]] std::size_t count(ItemKind kind) const;
    [[nodiscard]] const Mesh& mesh(std::uint32_t index) const;
    [[nodiscard]] const PatchSet& patches(std::uint32_t index) const;
    [[nodiscard]] const Sphere& sphere(std::uint32_t index) const;
    [[nodiscard]] const Instance& instance(std::uint32_t index) const;
    [[nodiscard]] const GaussianSet& gaussians(std::uint32_t index) const;
    [[nodiscard]] const Light& light(std::uint32_t index) const;
    [[nodiscard]] const std::vector<PointRange>& clouds() const { return clouds_; }
    /// The name that a part was given, by its file, an addition or the user; "": none.
    [[nodiscard]] std::string name(const ItemId& id) const;
    /// The same without names given by edits.
    [[nodiscard]] std::string name_before(const ItemId& id) const;
    /// Whether a part is neither hidden nor deleted; an instance also needs its mesh, a sphere its
    /// cloud.
    [[nodiscard]] bool shows(const ItemId& id) const;
    /// The number of a sphere, an instance or a light of scene(), by its index there.
    [[nodiscard]] std::uint32_t number_of(ItemKind kind, std::uint32_t place) const;
    /// The addition that made a part, as an index into SceneEdits::added.
    [[nodiscard]] std::optional<std::size_t> addition_of(const ItemId& id) const;
    /// Drops the last additions from edits, as long as all parts of them are deleted. The additions
    /// must be those of edits().
    void drop_deleted_additions(SceneEdits& edits) const;
    /// The cloud of a sphere or splat, by its index in scene().
    [[nodiscard]] std::optional<std::uint32_t> cloud_of(bool splat, std::size_t place) const;
    /// Bounds of an object, a cloud or Gaussians at rest; for an instance, the transformed bounds
    /// of its mesh. Empty for what is not shown, and for all else.
    [[nodiscard]] Box bounds_of(const ItemId& id) const;

    // Values of the scene as it was opened.
    [[nodiscard]] const Material& material_before(std::uint32_t index) const;
    [[nodiscard]] const Light& light_before(std::uint32_t index) const;
    /// Centre of an object's bounds, about which it is transformed.
    [[nodiscard]] vec3 center_before(const ObjectId& id) const;
    [[nodiscard]] const EnvironmentChoice& environment_before() const {
        return environment_before_;
    }
    [[nodiscard]] vec3 background_before() const {
        return background_.value_or(scene_->background);
    }
    /// The current environment.
    [[nodiscard]] EnvironmentChoice environment() const {
        return edits_.environment.value_or(environment_before_);
    }

  private:
    /// Lists in full and contents, while the scene has them without what is not shown.
    struct Aside {
        std::map<std::uint32_t, Mesh> meshes;
        std::map<std::uint32_t, PatchSet> patches;
        std::map<std::uint32_t, GaussianSet> gaussians;
        std::optional<std::vector<Sphere>> spheres;
        std::optional<std::vector<Splat>> splats;
        std::optional<std::vector<Instance>> instances;
        std::optional<std::vector<Light>> lights;
        /// Places in the full lists of those that the scene has.
        std::vector<std::uint32_t> shown_spheres, shown_splats, shown_instances, shown_lights;
    };
    using Parts = std::vector<std::shared_ptr<AddedPart>>;

    /// Removes edits that equal the original values.
    [[nodiscard]] SceneEdits without_idle(SceneEdits edits) const;
    void check(const SceneEdits& edits, const SceneEnd& end, const Parts& parts) const;
    /// Reads a map, unless it is the one in use or the scene's own.
    void prepare_environment(const SceneEdits& edits, PreparedEdits& prepared,
                             const ReadObserver& observer) const;
    /// Reads the lists in full, whether or not all is shown.
    [[nodiscard]] const std::vector<Sphere>& all_spheres() const {
        return aside_.spheres ? *aside_.spheres : scene_->spheres;
    }
    [[nodiscard]] const std::vector<Splat>& all_splats() const {
        return aside_.splats ? *aside_.splats : scene_->splats;
    }

    // Objects (edited_objects.cpp).
    [[nodiscard]] Object copy_of(const ObjectId& id) const;
    /// An object without its transform.
    [[nodiscard]] Object original(const ObjectId& id) const;
    void put(const ObjectId& id, Object object);
    /// The original object, transformed about its centre.
    [[nodiscard]] static Object moved(const Object& before, const Box& bounds,
                                      const Transform& transform);
    [[nodiscard]] Box bounds_before(const Object& before) const;
    void change_object(const ObjectId& id, const Transform* transform, PreparedEdits* prepared);

    void change_environment(const std::optional<EnvironmentChoice>& choice,
                            PreparedEdits* prepared);
    /// Replaces the materials and lights that differ.
    void change_shading(const SceneEdits& edits, SceneChange& change);

    // Additions (edited_additions.cpp).
    /// End of the lists after the scene's own parts and the first `n` additions.
    [[nodiscard]] SceneEnd end_after(std::size_t n) const;
    /// Makes the parts of the additions that edits() does not have.
    void prepare_parts(const SceneEdits& edits, PreparedEdits& prepared,
                       const ReadObserver& observer) const;
    /// The part that an addition keeps, or a new one.
    [[nodiscard]] std::shared_ptr<AddedPart> made_part(const SceneAddition& addition,
                                                       const SceneEnd& begin, const Parts& earlier,
                                                       const ReadObserver& observer) const;
    void fill_copy(AddedPart& part, const SceneAddition& addition, const Parts& earlier) const;
    /// `source`: the earlier part that has the cloud; null: the scene.
    void copy_cloud(AddedPart& part, std::uint32_t index, const AddedPart* source) const;
    /// Replaces the additions after the first `n_kept` by others. All parts must be shown.
    void change_additions(const SceneEdits& edits, std::size_t n_kept, const Parts& parts);
    /// Takes the parts of the additions after the first `n_kept` out of the scene, as they were
    /// before edits, and leaves them with the additions.
    void take_additions(std::size_t n_kept);
    void restore_after(const SceneEnd& end);
    void forget_after(const SceneEnd& end);

    // Parts that are not shown (shown_items.cpp).
    /// Brings back all that is not shown.
    void show_all();
    /// Leaves out what is hidden or deleted. All parts must be shown.
    void leave_out(const ItemMarks& marks);
    /// The name that a part itself has; null for kinds whose parts have none.
    [[nodiscard]] std::string* name_in_scene(const ItemId& id);
    void give_names(const SceneEdits& edits);

    std::shared_ptr<Scene> scene_;
    SceneEdits edits_;
    std::map<std::uint32_t, Material> materials_;  // the replaced ones, as they were
    std::map<std::uint32_t, Light> lights_;
    std::map<ObjectId, Object> objects_;
    std::map<ItemId, std::string> names_;  // of all that were ever renamed
    Aside aside_;
    std::vector<SceneEnd> ends_;  // of the scene's own parts, then of each addition; empty: unknown
    std::vector<PointRange> clouds_;
    bool default_lights_ = false;  // of the scene without additions
    EnvironmentChoice environment_before_;
    std::optional<EnvironmentMap> environment_;  // the scene's own, while it is replaced
    std::optional<vec3> background_;
};

// Edits of materials, in a file and by hand alike, so that both give the same material. `before` is
// the material as the scene was opened: a material set back to its values equals it.
/// A material of a kind without layers; mirrors and glass without a colour become white.
[[nodiscard]] Material with_kind(const Material& before, Material now, MaterialKind kind);
/// A material with these layers; `ior`: index of refraction of the dielectric base.
[[nodiscard]] Material with_layers(const Material& before, Material now,
                                   const SurfaceLayers& layers, float ior);
/// A material with its textures shown or hidden.
[[nodiscard]] Material with_textures(const Material& before, Material now, bool shown);
[[nodiscard]] bool has_textures(const Material& material);

}  // namespace tl
