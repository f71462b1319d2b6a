#include <imgui/imgui.h>

#include <string>

#include "app/panels/panels.h"
#include "app/panels/widgets/edit_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"
#include "renderer/scene/surface_layers.h"

namespace tl {
namespace {

constexpr const char* kMaterialKindNames[] = {"diffuse", "phong", "mirror", "dielectric",
                                              "layered"};
constexpr int kLayered = 4;

int kind_of(const Material& material) {
    return material.layers ? kLayered : static_cast<int>(material.kind);
}

/// Editor of a material: draws its parameters and applies changes to it.
struct MaterialEditor {
    ViewerModel& model;
    std::uint32_t index;
    Material before;  ///< as the scene was opened

    void change(const char* what, std::function<void(Material&)> change) const {
        edit_material(model, index, what, std::move(change));
    }
    void color(const char* label, vec3 Material::*member) const {
        vec3 value = model.session.scene().materials[index].*member;
        if (edit_color(label, value)) change(label, [=](Material& m) { m.*member = value; });
    }
    void share(const char* label, float Material::*member) const {
        float value = model.session.scene().materials[index].*member;
        if (slide_number(label, value, 0, 1))
            change(label, [=](Material& m) { m.*member = value; });
    }
    void change_layers(const char* what, std::function<void(SurfaceLayers&, float&)> set) const {
        change(what, [before = before, set = std::move(set)](Material& m) {
            SurfaceLayers layers = m.layers.value_or(SurfaceLayers{.base = m.diffuse});
            float ior = m.ior;
            set(layers, ior);
            m = with_layers(before, m, layers, ior);
        });
    }
    void layer(const char* label, float SurfaceLayers::*member) const {
        float value = (*model.session.scene().materials[index].layers).*member;
        if (slide_number(label, value, 0, 1))
            change_layers(label, [=](SurfaceLayers& layers, float&) { layers.*member = value; });
    }
};

void draw_kind(const MaterialEditor& editor, const Material& now) {
    int kind = kind_of(now);
    next_width();
    bool chosen = ImGui::Combo("Kind", &kind, kMaterialKindNames,
                               static_cast<int>(std::size(kMaterialKindNames)));
    tooltip(
        "how the surface scatters light; dielectric is glass, layered is metal, plastic or paint");
    if (!chosen) return;
    if (kind == kLayered) return editor.change_layers("kind", [](SurfaceLayers&, float&) {});
    editor.change("kind", [before = editor.before, kind](Material& m) {
        m = with_kind(before, m, static_cast<MaterialKind>(kind));
    });
}

void draw_layers(const MaterialEditor& editor, const Material& now) {
    vec3 base = now.layers->base;
    if (edit_color("colour", base))
        editor.change_layers("colour", [=](SurfaceLayers& l, float&) { l.base = base; });
    editor.layer("metallic", &SurfaceLayers::metallic);
    editor.layer("roughness", &SurfaceLayers::roughness);
    editor.layer("transmitted", &SurfaceLayers::transmission);
    editor.layer("coat", &SurfaceLayers::coat);
    editor.layer("coat roughness", &SurfaceLayers::coat_roughness);
    float ior = now.ior;
    if (slide_number("IOR", ior, 1, 3))
        editor.change_layers("IOR", [=](SurfaceLayers& l, float& to) {
            l.reflectance = vec3(reflectance_of_index(ior));
            to = ior;
        });
}

void draw_plain(const MaterialEditor& editor, const Material& now) {
    bool perfect = is_perfect(now.kind);
    if (!perfect) editor.color("colour", &Material::diffuse);
    if (now.kind != MaterialKind::diffuse) editor.color("reflection", &Material::specular);
    if (now.kind == MaterialKind::phong) {
        float exponent = now.exponent;
        if (drag_number("exponent", exponent, 1, 0, 1e4f))
            editor.change("exponent", [=](Material& m) { m.exponent = exponent; });
    }
    if (perfect) editor.share("roughness", &Material::roughness);
    if (now.kind != MaterialKind::dielectric) return;
    float ior = now.ior;
    if (slide_number("IOR", ior, 0.5f, 3)) editor.change("IOR", [=](Material& m) { m.ior = ior; });
    editor.color("transmission", &Material::transmission);
    vec3 absorption = now.absorption;
    if (drag_vector("absorption", absorption, 0.02f))
        editor.change("absorption",
                      [=](Material& m) { m.absorption = glm::max(absorption, vec3(0)); });
}

void draw_material(ViewerModel& model, std::uint32_t index) {
    auto& now = model.session.scene().materials[index];
    MaterialEditor editor{model, index, model.document.scene.edited.material_before(index)};
    ImGui::TextColored(info_color(), "Material %s", now.name.c_str());
    draw_kind(editor, now);
    if (now.layers)
        draw_layers(editor, now);
    else
        draw_plain(editor, now);
    vec3 emission = now.emission;
    if (edit_radiance("emission", emission))
        editor.change("emission", [=](Material& m) { m.emission = emission; });
    if (has_textures(editor.before)) {
        bool shown = has_textures(now);
        bool changed = ImGui::Checkbox("Textures", &shown);
        tooltip("off: the colours alone, without the pictures");
        if (changed)
            editor.change("textures", [before = editor.before, shown](Material& m) {
                m = with_textures(before, m, shown);
            });
    }
    bool edited = model.document.scene.edited.edits().materials.contains(index);
    if (edited && ImGui::Button("Material as it was"))
        editor.change("reset", [before = editor.before](Material& m) { m = before; });
}

void draw_transform(ViewerModel& model, const ObjectId& id) {
    auto& objects = model.document.scene.edited.edits().objects;
    auto found = objects.find(id);
    Transform now = found == objects.end() ? Transform{} : found->second;
    float step = 0.002f * model.view.camera.scene_size();
    ImGui::TextColored(info_color(), "Transform");
    vec3 moved(now.translate);
    if (drag_vector("move", moved, step))
        edit_object(model, id, "move", [=](Transform& t) { t.translate = glm::dvec3(moved); });
    vec3 turned = now.rotate;
    if (drag_vector("rotate", turned, 1))
        edit_object(model, id, "rotate", [=](Transform& t) { t.rotate = turned; });
    constexpr float kSmallest = 1e-3f, kLargest = 1e3f;
    float size = now.scale.x;
    if (now.is_uniform() && drag_number("scale", size, 0.01f, kSmallest, kLargest))
        edit_object(model, id, "scale", [=](Transform& t) { t.scale = vec3(size); });
    vec3 scale = now.scale;
    if (id.kind != ObjectKind::sphere && drag_vector("scale of axes", scale, 0.01f))
        edit_object(model, id, "scale", [=](Transform& t) {
            t.scale = glm::clamp(scale, vec3(kSmallest), vec3(kLargest));
        });
    if (found != objects.end() && ImGui::Button("Object as it was"))
        edit_object(model, id, "reset", [](Transform& t) { t = {}; });
}

}  // namespace

bool can_edit(const ViewerModel& model) {
    return model.document.scene.scene().get() == &model.session.scene();
}

void draw_object_panel(ViewerModel& model) {
    auto& selection = model.document.selection;
    if (!can_edit(model)) return wrapped_text(info_color(), "This scene cannot be edited.");
    if (ImGui::Button("Select in the middle")) select_in_middle(model.view);
    tooltip("Selects what is in the middle of the picture, as a click there does.");
    if (selection.empty())
        return wrapped_text(info_color(), "Or click on an object in the picture to edit it.");
    auto& scene = model.session.scene();
    if (selection.light)
        return wrapped_text(info_color(), selection_name(model) + ": see Lights below.");
    if (begin_rows("object")) {
        row("object", selection_name(model));
        if (selection.primitive) row("primitive", grouped(*selection.primitive));
        if (selection.object && selection.object->kind == ObjectKind::instance)
            row("instance", grouped(selection.object->index));
        if (selection.material) row("material", scene.materials[*selection.material].name);
        end_rows();
    }
    auto& object = selection.object;
    bool through_instances = object && object->kind == ObjectKind::mesh &&
                             model.document.scene.edited.mesh(object->index).instanced;
    if (through_instances)
        wrapped_text(info_color(), "This mesh is seen through its instances; move these.");
    else if (object)
        draw_transform(model, *object);
    if (selection.material) draw_material(model, *selection.material);
}

}  // namespace tl
