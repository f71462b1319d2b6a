// Editor of the selected material.
#include <imgui/imgui.h>

#include <string>
#include <utility>

#include "app/panels/panels.h"
#include "app/panels/widgets/edit_widgets.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"
#include "renderer/scene/material_presets.h"
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

    [[nodiscard]] const Material& now() const { return model.session.scene().materials[index]; }
    void change(const char* what, std::function<void(Material&)> change) const {
        edit_material(model, index, what, std::move(change));
    }
    void color(const char* label, vec3 Material::*member) const {
        vec3 value = now().*member;
        if (edit_color(label, value)) change(label, [=](Material& m) { m.*member = value; });
    }
    void share(const char* label, float Material::*member) const {
        float value = now().*member;
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
        float value = (*now().layers).*member;
        if (slide_number(label, value, 0, 1))
            change_layers(label, [=](SurfaceLayers& layers, float&) { layers.*member = value; });
    }
};

void draw_material_kind(const MaterialEditor& editor) {
    int kind = kind_of(editor.now());
    next_width();
    bool chosen = ImGui::Combo("Kind", &kind, kMaterialKindNames,
                               static_cast<int>(std::size(kMaterialKindNames)));
    tooltip(
        "How the surface scatters light; dielectric is glass, layered is metal, plastic or paint");
    if (!chosen) return;
    if (kind == kLayered) return editor.change_layers("kind", [](SurfaceLayers&, float&) {});
    editor.change("kind", [before = editor.before, kind](Material& m) {
        m = with_kind(before, m, static_cast<MaterialKind>(kind));
    });
}

/// The preset whose values the material has; null if there is none.
const MaterialPreset* preset_of(const MaterialEditor& editor) {
    for (auto& preset : material_presets())
        if (with_preset(editor.before, editor.now(), preset) == editor.now()) return &preset;
    return nullptr;
}

void draw_presets(const MaterialEditor& editor) {
    auto* used = preset_of(editor);
    next_width();
    bool open = ImGui::BeginCombo("Preset", used ? used->title : "choose");
    if (!open) return tooltip("Gives the material measured values of gold, glass, water and more");
    for (auto& preset : material_presets()) {
        if (ImGui::Selectable(preset.title, &preset == used))
            editor.change("preset", [before = editor.before, &preset](Material& m) {
                m = with_preset(before, m, preset);
            });
        tooltip(preset.help);
    }
    ImGui::EndCombo();
}

void draw_material_color(const MaterialEditor& editor) {
    if (!editor.now().layers) return editor.color("colour", &Material::diffuse);
    vec3 base = editor.now().layers->base;
    if (edit_color("colour", base))
        editor.change_layers("colour", [=](SurfaceLayers& l, float&) { l.base = base; });
}

void draw_exponent(const MaterialEditor& editor) {
    float exponent = editor.now().exponent;
    if (drag_number("exponent", exponent, 1, 0, 1e4f))
        editor.change("exponent", [=](Material& m) { m.exponent = exponent; });
}

void draw_roughness(const MaterialEditor& editor) {
    if (editor.now().layers)
        editor.layer("roughness", &SurfaceLayers::roughness);
    else
        editor.share("roughness", &Material::roughness);
}

void draw_index(const MaterialEditor& editor) {
    float ior = editor.now().ior;
    if (!editor.now().layers) {
        if (slide_number("IOR", ior, 0.5f, 3))
            editor.change("IOR", [=](Material& m) { m.ior = ior; });
    } else if (slide_number("IOR", ior, 1, 3)) {
        editor.change_layers("IOR", [=](SurfaceLayers& l, float& to) {
            l.reflectance = vec3(reflectance_of_index(ior));
            to = ior;
        });
    }
}

void draw_absorption(const MaterialEditor& editor) {
    vec3 absorption = editor.now().absorption;
    if (drag_vector("absorption", absorption, 0.02f))
        editor.change("absorption",
                      [=](Material& m) { m.absorption = glm::max(absorption, vec3(0)); });
}

void draw_emission(const MaterialEditor& editor) {
    vec3 emission = editor.now().emission;
    if (edit_radiance("emission", emission))
        editor.change("emission", [=](Material& m) { m.emission = emission; });
}

void draw_textures_box(const MaterialEditor& editor) {
    bool shown = has_textures(editor.now());
    bool changed = ImGui::Checkbox("Textures", &shown);
    tooltip("Shows the textures; without them, the colours alone");
    if (changed)
        editor.change("textures", [before = editor.before, shown](Material& m) {
            m = with_textures(before, m, shown);
        });
}

// Conditions under which a material has a parameter. `before`: the material as the scene was
// opened.
bool always(const Material&, const Material&) {
    return true;
}
bool is_layered(const Material&, const Material& now) {
    return now.layers.has_value();
}
template <MaterialKind kind>
bool is_plain(const Material&, const Material& now) {
    return !now.layers && now.kind == kind;
}
bool has_color(const Material&, const Material& now) {
    return now.layers || !is_perfect(now.kind);
}
bool has_reflection(const Material&, const Material& now) {
    return !now.layers && now.kind != MaterialKind::diffuse;
}
bool has_roughness(const Material&, const Material& now) {
    return now.layers || is_perfect(now.kind);
}
bool has_index(const Material&, const Material& now) {
    return now.layers || now.kind == MaterialKind::dielectric;
}
bool had_textures(const Material& before, const Material&) {
    return has_textures(before);
}

/// A parameter of materials.
struct MaterialField {
    const char* label;  ///< for the search
    bool (*present)(const Material& before, const Material& now);
    void (*draw)(const MaterialEditor&);
};

constexpr auto kClear = MaterialKind::dielectric;
constexpr MaterialField kFields[] = {
    {"Preset", always, draw_presets},
    {"Kind", always, draw_material_kind},
    {"Colour", has_color, draw_material_color},
    {"Reflection", has_reflection,
     [](const MaterialEditor& e) { e.color("reflection", &Material::specular); }},
    {"Exponent", is_plain<MaterialKind::phong>, draw_exponent},
    {"Metallic", is_layered,
     [](const MaterialEditor& e) { e.layer("metallic", &SurfaceLayers::metallic); }},
    {"Roughness", has_roughness, draw_roughness},
    {"Transmitted", is_layered,
     [](const MaterialEditor& e) { e.layer("transmitted", &SurfaceLayers::transmission); }},
    {"Coat", is_layered, [](const MaterialEditor& e) { e.layer("coat", &SurfaceLayers::coat); }},
    {"Coat roughness", is_layered,
     [](const MaterialEditor& e) { e.layer("coat roughness", &SurfaceLayers::coat_roughness); }},
    {"IOR, index of refraction", has_index, draw_index},
    {"Transmission", is_plain<kClear>,
     [](const MaterialEditor& e) { e.color("transmission", &Material::transmission); }},
    {"Absorption", is_plain<kClear>, draw_absorption},
    {"Emission", always, draw_emission},
    {"Textures", had_textures, draw_textures_box}};

MaterialEditor editor_of(ViewerModel& model) {
    auto index = *model.document.selection.material;
    return {model, index, model.document.scene.edited.material_before(index)};
}

/// Whether the selected material has a parameter.
bool has_field(const ViewerModel& model, const MaterialField& field) {
    auto& index = model.document.selection.material;
    auto& materials = model.session.scene().materials;
    return can_edit(model) && index && *index < materials.size() &&
           field.present(model.document.scene.edited.material_before(*index), materials[*index]);
}

/// One widget for each field, for the search.
template <std::size_t... i>
std::vector<PanelWidget> widgets_of_fields(std::index_sequence<i...>) {
    return {{kFields[i].label, [](ViewerModel& m) { kFields[i].draw(editor_of(m)); },
             [](const ViewerModel& m) { return has_field(m, kFields[i]); }}...};
}

}  // namespace

std::vector<PanelWidget> material_widgets() {
    return widgets_of_fields(std::make_index_sequence<std::size(kFields)>());
}

void draw_material(ViewerModel& model) {
    auto editor = editor_of(model);
    ImGui::TextColored(info_color(), "Material %s", editor.now().name.c_str());
    for (auto& field : kFields)
        if (field.present(editor.before, editor.now())) field.draw(editor);
    bool edited = model.document.scene.edited.edits().materials.contains(editor.index);
    if (edited && ImGui::Button("Material as it was"))
        editor.change("reset", [before = editor.before](Material& m) { m = before; });
}

}  // namespace tl
