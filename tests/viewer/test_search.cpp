// The search finds the widgets of sections one by one.
#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <algorithm>
#include <set>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/pose/pose_view.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "core/base/setting_words.h"
#include "renderer/scene/material_presets.h"
#include "tests/viewer/wide_viewer.h"

namespace tl::search_tests {
namespace {

class WidgetSearch : public WideViewer {
  protected:
    void search(ViewerModel& model, const std::string& text) {
        model.view.panel.search = text;
        steps(4);
    }
    ViewerModel& start_with_sphere() {
        auto& model = start_wide();
        auto path = source_path("scenes/cornell-box.toml");
        open_scene(model, path);
        step_until([&] { return !model.document.loading.busy(); });
        step_until([&] { return model.document.scene.path == path && !model.gate.busy(); });
        select(model, {.material = 1, .object = ObjectId{ObjectKind::sphere, 0}});
        steps(4);
        return model;
    }
    /// Clicks down the panel's results until `done`.
    template <class Done>
    bool click_results(ViewerModel& model, Done done) {
        auto& panel = model.view.layout.panel;
        return click_down(static_cast<float>(panel.x + 20), panel.y + 50, panel.y + 140, done);
    }
};

TEST(PanelWidgets, EverySectionWithWidgetsOfItsOwnListsThem) {
    // The others show numbers, lists of the scene's parts, or settings of a table.
    const std::set<std::string> none{"scene",      "examples", "times",   "pixel",
                                     "pixel-rays", "water",    "outliner"};
    for (auto& section : viewer_interface().sections) {
        EXPECT_EQ(section.widgets.empty(), none.contains(section.id)) << section.id;
        std::set<std::string> labels;
        for (auto& widget : section.widgets) {
            EXPECT_TRUE(labels.insert(widget.label).second) << widget.label;
            EXPECT_NE(widget.draw, nullptr) << widget.label;
        }
    }
}

TEST_F(WidgetSearch, EveryWidgetIsDrawnAlone) {
    auto& model = start_with_sphere();
    for (auto& section : model.interface.sections)
        for (auto& widget : section.widgets) {
            model.view.panel.search = std::string(widget.label);
            steps(2);
        }
    EXPECT_EQ(model.document.scene.edited.edits(), SceneEdits{}) << "drawing changes nothing";
    EXPECT_TRUE(model.status.messages.dialog_title().empty());
}

TEST_F(WidgetSearch, SettingsOfPosesAreFoundOneByOne) {
    auto& model = start_wide();
    auto& sections = model.interface.sections;
    auto pose = std::ranges::find(sections, "pose", &PanelSection::id);
    ASSERT_NE(pose, sections.end());
    auto& task = pose_of(model).task;
    auto present = [&](const std::string& label) {
        auto found = std::ranges::find(pose->widgets, label,
                                       [](auto& widget) { return std::string(widget.label); });
        return found != pose->widgets.end() && (!found->present || found->present(model));
    };
    for (auto& settings : {match_settings(task.matches), ransac_settings(task.ransac)})
        for (auto& setting : settings)
            EXPECT_TRUE(present(label_of(setting.declaration()))) << setting->id;
    task.source = MatchSource::pictures;
    EXPECT_TRUE(present("Matches"));
    EXPECT_FALSE(present("Noise")) << "features have their own";
    search(model, "confidence");
    auto before = task.ransac.confidence;
    EXPECT_TRUE(click_results(model, [&] { return task.ransac.confidence != before; }))
        << "a click on its slider sets it";
}

TEST_F(WidgetSearch, NoTooltipCoversTheResultsWhileTextIsTyped) {
    auto& model = start_wide();
    auto& panel = model.view.layout.panel;
    auto tooltip_shown = [] {
        auto* window = ImGui::FindWindowByName("##Tooltip_00");
        return window && window->Active && !window->Hidden;
    };
    const vec2 field(static_cast<float>(panel.x + 60), static_cast<float>(panel.y + 18));
    context_->push(CursorEvent{field});
    step_until(tooltip_shown);
    click(field);
    type("exp");
    steps(4);
    EXPECT_EQ(model.view.panel.search, "exp");
    EXPECT_FALSE(tooltip_shown());
}

TEST_F(WidgetSearch, AFoundWidgetWorks) {
    auto& model = start_wide();
    search(model, "mark clipped");
    ASSERT_FALSE(model.view.histogram.marks_shown);
    EXPECT_TRUE(click_results(model, [&] { return model.view.histogram.marks_shown; }));
    EXPECT_FALSE(model.view.histogram.wanted) << "the section itself is not drawn";
}

TEST_F(WidgetSearch, APresetIsChosenWhereItIsFound) {
    auto& model = start_with_sphere();
    auto before = session_->scene().materials[1];
    search(model, "preset");
    auto& panel = model.view.layout.panel;
    auto open = [] { return ImGui::GetCurrentContext()->OpenPopupStack.Size > 0; };
    vec2 at(static_cast<float>(panel.x + 20), static_cast<float>(panel.y + 50));
    for (; !open() && at.y < static_cast<float>(panel.y + 140); at.y += 9) click(at);
    ASSERT_TRUE(open()) << "the list of presets";
    // The list lies below the field: some rows down is one of the presets.
    constexpr float kRows = 45;
    click(at + vec2(0, kRows));
    ASSERT_FALSE(model.document.scene.edited.edits().materials.empty());
    step_until([&] { return !model.gate.busy(); });
    auto& after = session_->scene().materials[1];
    EXPECT_TRUE(std::ranges::any_of(material_presets(), [&](auto& preset) {
        return after == with_preset(before, before, preset);
    }));
    EXPECT_EQ(model.document.history.undo_name()->rfind("preset of", 0), 0u);
    undo(model);
    step_until([&] { return !model.gate.busy(); });
    EXPECT_EQ(session_->scene().materials[1], before);
    EXPECT_EQ(model.document.history.undo_name(), nullptr) << "one step";
}

TEST_F(WidgetSearch, WidgetsOfASelectionNeedOne) {
    auto& model = start_wide();
    auto& sections = model.interface.sections;
    auto object = std::ranges::find(sections, "object", &PanelSection::id);
    auto preset = std::ranges::find(object->widgets, std::string("Preset"),
                                    [](auto& widget) { return std::string(widget.label); });
    ASSERT_NE(preset, object->widgets.end());
    EXPECT_FALSE(preset->present(model));
}

TEST_F(WidgetSearch, TransformAndHandlesAreFoundOneByOne) {
    auto& model = start_with_sphere();
    auto object = std::ranges::find(model.interface.sections, "object", &PanelSection::id);
    auto found = [&](const std::string& text) {
        std::string labels;
        for (auto& widget : object->widgets)
            if (widget.present(model) && matches_search(text, object->title + " " + widget.label))
                labels += std::string(widget.label) + "; ";
        return labels;
    };
    EXPECT_EQ(found("transform"), "Transform: move; Transform: rotate; Transform: scale; ");
    EXPECT_EQ(found("gizmo"),
              "Handles (gizmo): move, rotate, scale; Handles (gizmo): local axes; "
              "Handles (gizmo): snapping; ");
    search(model, "snapping");
    ASSERT_FALSE(model.view.gizmo.snaps);
    EXPECT_TRUE(click_results(model, [&] { return model.view.gizmo.snaps; }));
    edit_object(model, {ObjectKind::sphere, 0}, "move", [](Transform& t) { t.translate.x = 1; });
    step_until([&] { return !model.gate.busy(); });
    EXPECT_EQ(found("as it was"), "Transform: object as it was; ");
    select(model, {.object = ObjectId{ObjectKind::mesh, 0}});
    EXPECT_EQ(found("axes"), "Handles (gizmo): local axes; Transform: scale of axes; ");
    select(model, {});
    EXPECT_EQ(found("transform"), "");
    // The commands are found by these words where nothing is selected.
    for (const char* word : {"transform", "gizmo", "handles", "snapping"})
        EXPECT_TRUE(std::ranges::any_of(model.interface.commands, [&](auto& command) {
            return command.menu == "Edit" &&
                   matches_search(word, command.title + " " + command.help);
        })) << word;
}

TEST_F(WidgetSearch, FieldsOfAMaterialAreThoseOfItsKind) {
    auto& model = start_with_sphere();
    auto& sections = model.interface.sections;
    auto object = std::ranges::find(sections, "object", &PanelSection::id);
    auto present = [&](const std::string& label) {
        auto found = std::ranges::find(object->widgets, label,
                                       [](auto& widget) { return std::string(widget.label); });
        return found != object->widgets.end() && found->present(model);
    };
    EXPECT_TRUE(present("Colour"));
    EXPECT_FALSE(present("Metallic"));
    edit_material(model, 1, "preset",
                  [](Material& m) { m = with_preset(Material{}, m, *find_preset("gold")); });
    steps(4);
    EXPECT_TRUE(present("Metallic"));
    EXPECT_FALSE(present("Exponent"));
}

TEST_F(WidgetSearch, ParametersOfTheSelectedLightAreFoundOneByOne) {
    auto& model = start_with_sphere();
    auto lights = std::ranges::find(model.interface.sections, "lights", &PanelSection::id);
    auto present = [&] {
        std::string labels;
        for (auto& widget : lights->widgets)
            if (widget.present(model)) labels += std::string(widget.label).substr(0, 5) + " ";
        return labels;
    };
    EXPECT_EQ(present(), "") << "no light is selected";
    Light spot{.kind = LightKind::spot, .position = vec3(0, 1, 0), .radiance = vec3(1)};
    edit_scene(model, "light", [=](SceneEdits& edits) {
        edits.added.push_back({.kind = ItemKind::light, .name = "spot", .light = spot});
    });
    step_until([&] { return !model.gate.busy(); });
    auto index = static_cast<std::uint32_t>(model.document.scene.edited.count(ItemKind::light) - 1);
    select(model, {.light = index});
    EXPECT_EQ(present(), "Stren Posit Direc Outer Inner ");
    search(model, "outer angle");
    auto angle = [&] { return model.document.scene.edited.light(index).outer_angle; };
    float before = angle();
    EXPECT_TRUE(click_results(model, [&] {
        step_until([&] { return !model.gate.busy(); });
        return angle() != before;
    }));
    edit_light(model, index, "kind", [](Light& l) { l.kind = LightKind::directional; });
    step_until([&] { return !model.gate.busy(); });
    EXPECT_EQ(present(), "Stren Direc ");
}

TEST(Tooltips, BeginWithACapitalUnlessTheyNameAFile) {
    EXPECT_EQ(capitalised("angle of the view"), "Angle of the view");
    EXPECT_EQ(capitalised("kd-tree"), "Kd-tree");
    EXPECT_EQ(capitalised("eigenvalues, all"), "Eigenvalues, all");
    EXPECT_EQ(capitalised("scene.toml: read"), "scene.toml: read");
    EXPECT_EQ(capitalised("/home/a"), "/home/a");
    EXPECT_EQ(capitalised("b2 is"), "b2 is");
    EXPECT_EQ(capitalised(""), "");
}

}  // namespace
}  // namespace tl::search_tests
