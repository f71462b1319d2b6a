// The gallery's scenes in the viewer, and what passes from a scene to the one that is opened next.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/examples.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "renderer/images/image_io.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::examples_tests {
namespace {

namespace fs = std::filesystem;

TEST(Examples, AreAllScenesOfTheGalleryWithAThumbnailEach) {
    std::set<std::string> files, ids;
    for (auto& entry : fs::directory_iterator(source_path("scenes/gallery")))
        if (entry.path().extension() == ".toml") files.insert(entry.path().stem().string());
    for (auto& example : examples()) {
        EXPECT_TRUE(ids.insert(example.id).second) << example.id;
        EXPECT_EQ(path_of(example),
                  source_path(std::string("scenes/gallery/") + example.id + ".toml"));
        auto thumbnail =
            read_image8(source_path(std::string("assets/thumbnails/") + example.id + ".png"));
        EXPECT_EQ(thumbnail.extent, (Extent{160, 90})) << example.id;
    }
    EXPECT_EQ(ids, files);
}

TEST(Examples, NameTheirRendererAndToneCurve) {
    for (auto& example : examples()) {
        std::stringstream text;
        text << std::ifstream(path_of(example)).rdbuf();
        EXPECT_NE(text.str().find("\nrequired = true\n"), std::string::npos) << example.id;
        EXPECT_NE(text.str().find("\ntone = "), std::string::npos) << example.id;
    }
}

class OpenedScenes : public OffscreenViewer {
  protected:
    void open(const std::string& path) {
        auto& model = viewer_->model();
        open_scene(model, path);
        step_until([&] { return !model.document.loading.busy(); });
        step_until([&] { return model.document.scene.path == path && !model.gate.busy(); });
    }
    [[nodiscard]] float exposure() const { return session_->display().config().tone_map.exposure; }
    std::string write_scene(const std::string& name, const std::string& settings) {
        return folder_.write(name, "[[sphere]]\n" + settings);
    }
};

TEST_F(OpenedScenes, AnExampleIsOpenedFromTheMenu) {
    auto& model = start().model();
    auto entries = example_entries(model);
    ASSERT_EQ(entries.size(), examples().size());
    steps(2);  // the loop makes the texture
    auto again = example_entries(model);
    for (auto& entry : again) {
        ASSERT_TRUE(entry.picture);
        EXPECT_NE(entry.picture->texture, 0u);
        EXPECT_NE(entry.help, "");
    }
    auto found = std::ranges::find(again, "Two cameras and their pose", &MenuEntry::title);
    ASSERT_NE(found, again.end());
    found->action(model);
    step_until([&] { return session_->scene().name == "Two cameras and their pose"; });
    EXPECT_EQ(session_->renderer_id(), "path");
    EXPECT_EQ(session_->display().config().tone_map.tone_operator, ToneOperator::agx);
}

TEST_F(OpenedScenes, ExposureBelongsToItsScene) {
    auto& model = start().model();
    auto plain = write_scene("plain.toml", ""),
         bright = write_scene("bright.toml", "[film]\nexposure = 2\n");
    open(plain);
    change_exposure(model, 1.5f);
    EXPECT_EQ(exposure(), 1.5f);
    reload_scene(model);
    step_until([&] { return !model.document.loading.busy() && !model.gate.busy(); });
    EXPECT_EQ(exposure(), 1.5f);
    open(bright);
    EXPECT_EQ(exposure(), 2);
    change_exposure(model, 1);
    EXPECT_EQ(exposure(), 3);
    open(plain);
    EXPECT_EQ(exposure(), 0);
}

TEST_F(OpenedScenes, AFlagForExposureIsForTheFirstScene) {
    SessionOptions options;
    options.settings["film.exposure"] = "1";
    session_->settings().set("film", "exposure", "1");
    start({}, options);
    open(write_scene("plain.toml", ""));
    EXPECT_EQ(exposure(), 0);
}

TEST_F(OpenedScenes, KeepTheRendererThatTheUserChose) {
    auto& model = start().model();
    auto plain = write_scene("plain.toml", ""),
         whitted = write_scene("whitted.toml", "[render]\nrenderer = \"whitted\"\n"),
         photon = write_scene("photon.toml",
                              "[render]\nrenderer = \"photon\"\nrequired = true\n"
                              "[photon]\nphotons = 100\n");
    open(photon);
    EXPECT_EQ(session_->renderer_id(), "photon");
    open(whitted);
    EXPECT_EQ(session_->renderer_id(), "whitted");
    choose_renderer(model, "path");
    open(plain);
    EXPECT_EQ(session_->renderer_id(), "path");
    open(whitted);
    EXPECT_EQ(session_->renderer_id(), "path");
    open(photon);
    EXPECT_EQ(session_->renderer_id(), "photon");
    reload_scene(model);
    step_until([&] { return !model.document.loading.busy() && !model.gate.busy(); });
    EXPECT_EQ(session_->renderer_id(), "photon");
    open(whitted);
    EXPECT_EQ(session_->renderer_id(), "path");
}

TEST_F(OpenedScenes, AChoiceOfRendererThatIsUndoneIsNotKept) {
    auto& model = start().model();
    auto whitted = write_scene("whitted.toml", "[render]\nrenderer = \"whitted\"\n");
    open(whitted);
    choose_renderer(model, "path");
    step_until([&] { return session_->renderer_id() == "path" && !model.gate.busy(); });
    undo(model);
    step_until([&] { return session_->renderer_id() == "whitted" && !model.gate.busy(); });
    open(write_scene("other.toml", "[render]\nrenderer = \"whitted\"\n"));
    EXPECT_EQ(session_->renderer_id(), "whitted");
}

TEST_F(OpenedScenes, AHeatMapIsNoChoiceOfARenderer) {
    auto& model = start().model();
    press(Key::h);
    step_until([&] { return session_->renderer_id() == "heat-map" && !model.gate.busy(); });
    open(write_scene("path.toml", "[render]\nrenderer = \"path\"\n"));
    EXPECT_EQ(session_->renderer_id(), "path");
}

}  // namespace
}  // namespace tl::examples_tests
