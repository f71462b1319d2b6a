// A scene is loaded again when one of its files changes.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/files/file_watch.h"
#include "core/base/files.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::file_watch_tests {
namespace {

using namespace std::chrono_literals;
constexpr FileWatch::Config kQuick{.every = 5ms, .settle = 20ms};

bool changes_within(FileWatch& watch, std::chrono::milliseconds most) {
    auto end = std::chrono::steady_clock::now() + most;
    while (std::chrono::steady_clock::now() < end) {
        if (watch.take_change()) return true;
        std::this_thread::sleep_for(2ms);
    }
    return false;
}

std::vector<ReadFile> as_read(const std::vector<std::string>& paths) {
    ReadLog log;
    for (auto& path : paths) log.note(path);
    return log.files();
}

class FileWatches : public testing::Test {
  protected:
    /// Another program saves a file by writing a new one and renaming it.
    void replace(const std::string& name, const std::string& text) const {
        folder_.write(name + ".new", text);
        std::filesystem::rename(folder_.path(name + ".new"), folder_.path(name));
    }
    test::TempFolder folder_;
    FileWatch watch_{kQuick};
    static constexpr std::chrono::milliseconds kSoon{20000}, kAWhile{150};
};

TEST_F(FileWatches, AFileThatIsWrittenReplacedOrRemovedHasChanged) {
    auto file = folder_.write("a.txt", "1");
    watch_.follow(as_read({file}), false, {});
    EXPECT_FALSE(changes_within(watch_, kAWhile));
    folder_.write("a.txt", "two");
    EXPECT_TRUE(changes_within(watch_, kSoon));
    replace("a.txt", "six");
    EXPECT_TRUE(changes_within(watch_, kSoon));
    std::filesystem::remove(file);
    EXPECT_TRUE(changes_within(watch_, kSoon));
    EXPECT_FALSE(changes_within(watch_, kAWhile)) << "told once";
}

TEST_F(FileWatches, AMissingFileMayAppear) {
    watch_.follow(as_read({folder_.path("late.txt")}), false, {});
    folder_.write("late.txt", "1");
    EXPECT_TRUE(changes_within(watch_, kSoon));
}

TEST_F(FileWatches, WhatChangesWhileItIsReadIsNoticed) {
    auto files = as_read({folder_.write("a.txt", "1")});
    folder_.write("a.txt", "two");
    watch_.follow(files, false, {});
    EXPECT_TRUE(changes_within(watch_, kSoon));
}

TEST_F(FileWatches, ItsOwnWritingIsNoChange) {
    FileWatch patient({.every = 5ms, .settle = 3s});
    auto file = folder_.write("a.txt", "1");
    patient.follow(as_read({file}), false, {});
    folder_.write("a.txt", "two");
    patient.accept(file);
    EXPECT_FALSE(changes_within(patient, 3500ms));
}

TEST_F(FileWatches, TheLogHasWhatSceneFilesReferTo) {
    folder_.write("m.obj", "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n");
    folder_.write("m.mtl", "newmtl a\nmap_Kd missing.png\n");
    auto scene = folder_.write("s.toml", "version = 1\n[[mesh]]\nfile = \"m.obj\"\n");
    ReadLog log;
    (void)load_scene(scene, "", false, {{}, &log});
    std::vector<std::string> names;
    for (auto& file : log.files())
        names.push_back(std::filesystem::path(file.path).filename().string());
    for (const char* name : {"s.toml", "m.obj", "m.mtl", "missing.png"})
        EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

class WatchedScene : public OffscreenViewer {
  protected:
    Viewer& start_watching() {
        write_model(1);
        scene_ = folder_.write("s.toml", "version = 1\n[[mesh]]\nfile = \"m.obj\"\n");
        ViewerOptions options;
        options.watch = true;
        auto& viewer = start(options);
        open_scene(viewer.model(), scene_);
        step_until([&] { return session_->scene().path == scene_; });
        return viewer;
    }
    void write_model(int n_triangles) const {
        std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (int i = 0; i < n_triangles; ++i) text += "f 1 2 3\n";
        folder_.write("m.obj.new", text);
        std::filesystem::rename(folder_.path("m.obj.new"), folder_.path("m.obj"));
    }
    std::string scene_;
};

TEST_F(WatchedScene, IsLoadedAgainAndTheCameraStays) {
    auto& viewer = start_watching();
    viewer.model().view.camera.orbit({0.1f, 0});
    auto camera = viewer.model().view.camera.camera();
    write_model(3);
    step_until([&] { return session_->scene().triangle_count() == 3; });
    EXPECT_EQ(viewer.model().view.camera.camera(), camera);
    TL_EXPECT_CONTAINS(viewer.model().status.messages.current(), "after a change");
}

TEST_F(WatchedScene, StaysWhileItsFilesAreWrong) {
    auto& viewer = start_watching();
    folder_.write("s.toml", "version = 1\n[[mesh]\n");
    step_until([&] {
        return viewer.model().status.messages.current().find("stays as it is") != std::string::npos;
    });
    EXPECT_EQ(viewer.model().status.messages.dialog_title(), "");
    EXPECT_EQ(session_->scene().triangle_count(), 1u);
    // All files are still watched: the model's change is noticed, and then that of the scene.
    write_model(4);
    folder_.write("s.toml", "version = 1\n[[mesh]]\nfile = \"m.obj\"\n# mended\n");
    step_until([&] { return session_->scene().triangle_count() == 4; });
}

TEST_F(WatchedScene, IsLeftAloneOnceItIsNoLongerWatched) {
    auto& viewer = start_watching();
    press(Key::f5, {.shift = true});
    steps(2);
    EXPECT_FALSE(viewer.model().document.watch.on);
    EXPECT_EQ(viewer.model().document.watch.changes.size(), 0u);
    write_model(2);
    // Longer than a change takes to be noticed: two polls and the time to settle.
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    while (std::chrono::steady_clock::now() < end) steps(1);
    EXPECT_EQ(session_->scene().triangle_count(), 1u);
    press(Key::f5, {.shift = true});
    step_until([&] { return session_->scene().triangle_count() == 2; });
}

}  // namespace
}  // namespace tl::file_watch_tests
