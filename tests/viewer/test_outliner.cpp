// The outliner and the menu Add, by keys and mouse: parts are added, named, hidden, duplicated and
// deleted, undone, saved and opened again.
#include <algorithm>
#include <filesystem>

#include "app/viewer/actions/add_actions.h"
#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/part_actions.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "tests/source_path.h"
#include "tests/viewer/wide_viewer.h"

namespace tl::outliner_tests {
namespace {

class Outliner : public WideViewer {
  protected:
    static constexpr std::uint32_t kSamples = 2;

    void SetUp() override {
        WideViewer::SetUp();
        if (!session_) return;
        context_->resize(window_for({500, 560}, 1, true));
        start({.stop_at = kSamples});
        open(source_path("scenes/cornell-box.toml"));
        open_tab(model(), PanelTab::scene);
        reveal_section(model(), "outliner");
        steps(8);
    }
    ViewerModel& model() { return viewer_->model(); }
    [[nodiscard]] const EditedScene& edited() { return model().document.scene.edited; }
    void settle() {
        steps(4);
        step_until([&] { return !model().gate.busy(); });
        steps(2);
    }
    void open(const std::string& path) {
        open_scene(model(), path);
        step_until([&] { return !model().document.loading.busy(); });
        step_until([&] { return model().document.scene.path == path && !model().gate.busy(); });
    }
    std::vector<vec3> finished_picture() {
        step_until([&] { return !model().gate.busy() && session_->samples() == kSamples; });
        return radiance_of(session_->stream(), session_->film().view()).rgb;
    }
    void run(const std::string& command) {
        tap(Key::f, {.control = true});
        type(command);
        tap(Key::enter);
        settle();
    }
    void select_part(const ItemId& id) {
        select(model(), selection_with(edited(), id), false);
        steps(2);
    }
    static constexpr int kFirstRow = 152;  ///< below the section's title, its search and "Objects"
    /// Right of the names of groups, which a click opens and closes.
    float row_x() { return static_cast<float>(model().view.layout.panel.x + 200); }
    /// Clicks down the rows of the outliner until a part is selected.
    bool click_row(const ItemId& id) {
        return click_down(row_x(), kFirstRow, 520, [&] { return selected_part(model()) == id; });
    }
    void right_click(vec2 at) {
        drag(at, at, MouseButton::right);
        steps(4);
    }
};

TEST_F(Outliner, AClickOnARowSelectsAsOneInThePictureDoes) {
    EXPECT_TRUE(click_row({ItemKind::mesh, 0}));
    ASSERT_TRUE(model().document.selection.object);
    EXPECT_EQ(model().document.selection.object->kind, ObjectKind::mesh);
    EXPECT_TRUE(model().document.selection.material) << "its editor is shown, too";
}

TEST_F(Outliner, KeysDuplicateNameDeleteAndUndo) {
    auto before = finished_picture();
    select_part({ItemKind::sphere, 0});
    auto n = edited().count(ItemKind::sphere);
    tap(Key::d, {.alt = true});
    settle();
    EXPECT_EQ(edited().count(ItemKind::sphere), n + 1);
    EXPECT_EQ(selected_part(model()), (ItemId{ItemKind::sphere, static_cast<std::uint32_t>(n)}));
    EXPECT_NE(finished_picture(), before);
    tap(Key::f2);
    steps(4);
    for (char32_t c : U"Käse \"☃\"") {
        if (c) context_->push(TextEvent{c});
    }
    steps(4);
    tap(Key::enter);
    settle();
    auto id = selected_part(model());
    ASSERT_TRUE(id);
    EXPECT_EQ(edited().name(*id), "Käse \"☃\"");
    EXPECT_EQ(*model().document.history.undo_name(), "name of sphere " + std::to_string(id->index));
    tap(Key::del);
    settle();
    EXPECT_EQ(model().status.messages.current(), "deleted Käse \"☃\"; Ctrl+Z brings it back");
    EXPECT_EQ(edited().count(ItemKind::sphere), n) << "an addition that is deleted is dropped";
    EXPECT_TRUE(model().document.selection.empty());
    EXPECT_EQ(finished_picture(), before);
    tap(Key::z, {.control = true});
    settle();
    EXPECT_EQ(edited().name(*id), "Käse \"☃\"");
    for (int i = 0; i < 2; ++i) {
        tap(Key::z, {.control = true});
        settle();
    }
    EXPECT_EQ(edited().edits(), SceneEdits{});
    EXPECT_EQ(finished_picture(), before);
    tap(Key::y, {.control = true});
    settle();
    EXPECT_EQ(edited().count(ItemKind::sphere), n + 1);
    EXPECT_EQ(selected_part(model()), (ItemId{ItemKind::sphere, static_cast<std::uint32_t>(n)}));
}

TEST_F(Outliner, CopiesStandOnTheSameGround) {
    const auto n = static_cast<std::uint32_t>(edited().count(ItemKind::sphere));
    auto is_moved = [&](vec3 up, int axis) {
        model().view.camera.set_up(up);
        duplicate_part(model(), {ItemKind::sphere, 0});
        settle();
        const Transform& place = edited().edits().objects.at({ObjectKind::sphere, n});
        for (int a = 0; a < 3; ++a) EXPECT_EQ(place.translate[a] > 0, a != axis) << a;
        undo(model());
        settle();
    };
    is_moved({0, 1, 0}, 1);
    is_moved({0, 0, -1}, 2);
}

TEST_F(Outliner, UndoAndRedoOfANameKeepTheSamples) {
    auto before = finished_picture();
    const ItemId id{ItemKind::sphere, 0};
    auto old_name = edited().name(id);
    auto keeps_samples = [&](const std::string& name) {
        EXPECT_EQ(edited().name(id), name);
        EXPECT_EQ(session_->samples(), kSamples);
        steps(1);
        EXPECT_EQ(session_->samples(), kSamples);
    };
    rename_part(model(), id, "ball");
    keeps_samples("ball");
    undo(model());
    keeps_samples(old_name);
    redo(model());
    keeps_samples("ball");
    show_part(model(), id, false);
    settle();
    EXPECT_NE(finished_picture(), before);
    undo(model());
    settle();
    EXPECT_EQ(finished_picture(), before);
    undo(model());
    keeps_samples(old_name);
}

TEST_F(Outliner, ABoxBesideTheNameHidesAndShows) {
    auto before = finished_picture();
    auto x = static_cast<float>(model().view.layout.panel.x + 36);
    auto hidden = [&] {
        settle();
        return !edited().edits().marks.hidden.empty();
    };
    ASSERT_TRUE(click_down(x, kFirstRow, 520, hidden));
    EXPECT_NE(finished_picture(), before);
    EXPECT_TRUE(model().document.history.undo_name()->starts_with("hiding of "));
    undo(model());
    settle();
    EXPECT_EQ(finished_picture(), before);
}

TEST_F(Outliner, TheMenuOfARowHasWhatTheKeysDo) {
    auto n = edited().count(ItemKind::mesh);
    float y = kFirstRow;
    for (; y < 520 && selected_part(model()) != ItemId{ItemKind::mesh, 0}; y += 9)
        click(vec2(row_x(), y));
    vec2 at(row_x(), y - 9);
    right_click(at);
    click(at + vec2(30, 35));
    settle();
    EXPECT_EQ(edited().count(ItemKind::mesh), n + 1) << "the second entry is Duplicate";
}

TEST_F(Outliner, TheSearchShowsTheRowsThatHaveTheWords) {
    model().view.outliner.search = "sphere";
    steps(4);
    EXPECT_TRUE(click_row({ItemKind::sphere, 0}));
    EXPECT_FALSE(click_row({ItemKind::mesh, 0})) << "it is not listed";
}

TEST_F(Outliner, TheMenuAddsShapesAtTheTargetWithAMaterialOfTheirOwn) {
    auto before = finished_picture();
    auto n_materials = edited().count(ItemKind::material);
    auto n_meshes = static_cast<std::uint32_t>(edited().count(ItemKind::mesh));
    auto& camera = model().view.camera.camera();
    run("cube");
    ASSERT_EQ(edited().count(ItemKind::mesh), n_meshes + 1);
    EXPECT_EQ(edited().count(ItemKind::material), n_materials + 1);
    EXPECT_EQ(edited().name({ItemKind::mesh, n_meshes}), "Cube");
    EXPECT_EQ(selected_part(model()), (ItemId{ItemKind::mesh, n_meshes}));
    EXPECT_EQ(model().document.selection.material, n_materials);
    Box box = edited().bounds_of({ItemKind::mesh, n_meshes});
    EXPECT_LT(glm::length(box.center() - camera.target), 1e-5f);
    EXPECT_NEAR(box.hi.x - box.lo.x, 0.1f * glm::length(camera.target - camera.eye), 1e-5f);
    for (auto* shape : {"cylinder", "cone", "torus", "plane", "sphere"}) {
        add_shape(model(), shape);
        settle();
    }
    add_light(model(), LightKind::rectangle);
    settle();
    EXPECT_EQ(edited().count(ItemKind::mesh), n_meshes + 5);
    EXPECT_EQ(edited().name({ItemKind::light, 1}), "Rectangle light");
    edit_object(model(), {ObjectKind::mesh, n_meshes}, "move", [](Transform& t) {
        t.translate = {0.1, 0.05, 0};
    });
    edit_material(model(), static_cast<std::uint32_t>(n_materials), "emission",
                  [](Material& m) { m.emission = vec3(1, 2, 3); });
    settle();
    auto after = finished_picture();
    EXPECT_NE(after, before);
    auto path = folder_.path("added.toml");
    save_scene_as(model(), path);
    while (model().document.history.undo_name()) {
        undo(model());
        settle();
    }
    EXPECT_EQ(finished_picture(), before);
    viewer_.reset();
    session_ = std::make_unique<Session>(find_device("cpu"));
    start({.stop_at = kSamples});
    model().session_options.allow_outside = true;
    open(path);
    EXPECT_EQ(finished_picture(), after) << read_file(path);
    auto again = folder_.path("again.toml");
    save_scene_as(model(), again);
    EXPECT_EQ(read_file(again), read_file(path));
}

TEST_F(Outliner, AModelFromAFileIsFittedToTheView) {
    folder_.write("big model.obj", "v 0 0 0\nv 500 0 0\nv 0 200 0\nf 1 2 3\n");
    auto n = static_cast<std::uint32_t>(edited().count(ItemKind::mesh));
    add_model_file(model(), folder_.path("big model.obj"));
    settle();
    step_until([&] { return selected_part(model()) == ItemId{ItemKind::mesh, n}; });
    Box box = edited().bounds_of({ItemKind::mesh, n});
    auto& camera = model().view.camera.camera();
    EXPECT_NEAR(box.hi.x - box.lo.x, 0.1f * glm::length(camera.target - camera.eye), 1e-4f);
    EXPECT_EQ(edited().name({ItemKind::mesh, n}), "big model");
    // A file that cannot be read changes nothing.
    auto edits = edited().edits();
    add_model_file(model(), folder_.path("none.obj"));
    step_until([&] { return !model().status.messages.dialog_title().empty(); });
    EXPECT_EQ(edited().edits(), edits);
}

TEST_F(Outliner, CloudsAndGaussiansAreDuplicatedMovedUndoneAndSaved) {
    for (auto& [text, kind] :
         {std::pair{"[[generate]]\nkind = \"splats\"\npoints = 2000\n", ItemKind::cloud},
          {"[[generate]]\nkind = \"gaussian-tree\"\ngaussians = 1000\n", ItemKind::gaussians}}) {
        auto scene = folder_.write(std::string(name_of(kind)) + ".toml", text);
        open(scene);
        auto before = finished_picture();
        auto n = static_cast<std::uint32_t>(edited().count(kind));
        select_part({kind, 0});
        tap(Key::d, {.alt = true});
        settle();
        const ItemId copy{kind, n};
        ASSERT_EQ(selected_part(model()), copy) << scene;
        Box original = edited().bounds_of({kind, 0});
        EXPECT_GT(edited().bounds_of(copy).lo.x, original.lo.x) << "it stands aside";
        auto duplicated = finished_picture();
        EXPECT_NE(duplicated, before) << scene;
        edit_object(model(), object_of(copy), "move",
                    [](Transform& t) { t.rotate = vec3(0, 30, 0); });
        settle();
        auto turned = finished_picture();
        EXPECT_NE(turned, duplicated) << scene;
        for (auto* picture : {&duplicated, &before}) {
            tap(Key::z, {.control = true});
            settle();
            EXPECT_EQ(finished_picture(), *picture) << scene;
        }
        for (auto* picture : {&duplicated, &turned}) {
            tap(Key::y, {.control = true});
            settle();
            EXPECT_EQ(finished_picture(), *picture) << scene;
        }
        auto path = folder_.path(std::string("copied ") + name_of(kind) + ".toml");
        save_scene_as(model(), path);
        clear_history(model());
        open(path);
        EXPECT_EQ(finished_picture(), turned) << read_file(path);
    }
}

TEST_F(Outliner, AnAdditionIsDoneAgainAfterItsFileIsGone) {
    auto file = folder_.write("thing.obj", "v 0 0 0\nv 5 0 0\nv 0 2 0\nf 1 2 3\n");
    auto n = static_cast<std::uint32_t>(edited().count(ItemKind::mesh));
    auto before = finished_picture();
    add_model_file(model(), file);
    settle();
    step_until([&] { return selected_part(model()) == ItemId{ItemKind::mesh, n}; });
    auto added = finished_picture();
    EXPECT_NE(added, before);
    std::filesystem::remove(file);
    tap(Key::z, {.control = true});
    settle();
    EXPECT_EQ(edited().count(ItemKind::mesh), n);
    EXPECT_EQ(finished_picture(), before);
    tap(Key::y, {.control = true});
    settle();
    EXPECT_EQ(finished_picture(), added);
    select_part({ItemKind::mesh, n});
    tap(Key::del);
    settle();
    EXPECT_EQ(finished_picture(), before);
    tap(Key::z, {.control = true});
    settle();
    EXPECT_EQ(finished_picture(), added) << "a deletion is undone, too";
    EXPECT_EQ(model().status.messages.dialog_title(), "");
}

TEST_F(Outliner, TheLastObjectMayBeDeletedWithEveryRenderer) {
    for (auto kind : {ItemKind::mesh, ItemKind::sphere, ItemKind::light})
        for (std::uint32_t i = 0; i < edited().count(kind); ++i) {
            select_part({kind, i});
            tap(Key::del);
            settle();
        }
    EXPECT_TRUE(session_->scene().has_no_geometry());
    EXPECT_TRUE(session_->scene().lights.empty());
    for (auto& id : ids_on(DeviceKind::cpu, renderers())) {
        choose_renderer(model(), id);
        for (vec3 radiance : finished_picture()) ASSERT_EQ(radiance, radiance) << id;
    }
    EXPECT_EQ(model().status.messages.dialog_title(), "");
}

TEST_F(Outliner, ANameFieldBeginsWithWhatIsShown) {
    select_part({ItemKind::sphere, 0});
    ASSERT_EQ(edited().name({ItemKind::sphere, 0}), "");
    tap(Key::f2);
    EXPECT_EQ(model().view.outliner.typed, "sphere 0");
    tap(Key::enter);
    settle();
    EXPECT_EQ(model().view.outliner.renamed, "");
    EXPECT_EQ(edited().edits(), SceneEdits{}) << "left as it was";
}

TEST_F(Outliner, MaterialsInUseSayWhatCannotBeDone) {
    std::uint32_t used = edited().mesh(0).material_of_triangle[0] >= 0
                             ? static_cast<std::uint32_t>(edited().mesh(0).material_of_triangle[0])
                             : 0;
    delete_part(model(), {ItemKind::material, used});
    settle();
    EXPECT_EQ(edited().edits(), SceneEdits{});
    EXPECT_NE(model().status.messages.current().find("is the material of"), std::string::npos);
    duplicate_part(model(), {ItemKind::material, used});
    settle();
    auto copy = selected_part(model());
    ASSERT_TRUE(copy);
    EXPECT_EQ(edited().name(*copy), edited().name({ItemKind::material, used}) + ".001");
    delete_part(model(), *copy);
    settle();
    EXPECT_EQ(edited().edits(), SceneEdits{});
}

}  // namespace
}  // namespace tl::outliner_tests
