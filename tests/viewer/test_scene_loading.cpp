// Loading scenes in the background, with errors returned as text; folder listings and file names of
// pictures.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/jobs/scene_loading.h"
#include "app/viewer/files/folder_listing.h"
#include "app/viewer/files/screenshot.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::scene_loading_tests {
namespace {

namespace fs = std::filesystem;

SceneLoading::Ended wait_for(SceneLoading& loading) {
    for (int i = 0; i < 1000; ++i) {
        if (auto loaded = loading.take()) return std::move(*loaded);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "nothing was loaded in 10 s";
    return {};
}

TEST(SceneLoading, GivesTheSceneAndItsRequest) {
    SceneLoading loading;
    EXPECT_FALSE(loading.busy());
    start_loading(loading, {source_path("scenes/cornell-box.toml"), true});
    EXPECT_TRUE(loading.busy());
    auto loaded = wait_for(loading);
    EXPECT_FALSE(loading.busy());
    ASSERT_TRUE(loaded.result.document.scene());
    EXPECT_EQ(loaded.error, "");
    EXPECT_TRUE(loaded.result.keep_camera);
    EXPECT_FALSE(loading.take());
}

TEST(SceneLoading, GivesTheReasonOfAFailure) {
    SceneLoading loading;
    start_loading(loading, {"/no/such/file.obj"});
    auto loaded = wait_for(loading);
    EXPECT_FALSE(loaded.result.document.scene());
    EXPECT_NE(loaded.error.find("/no/such/file.obj"), std::string::npos);
}

TEST(SceneLoading, TheNewestRequestWins) {
    SceneLoading loading;
    for (int i = 0; i < 20; ++i)
        start_loading(loading, {"generate:terrain,triangles=" + std::to_string(1000 + i)});
    auto loaded = wait_for(loading);
    EXPECT_EQ(loaded.result.path, "generate:terrain,triangles=1019");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(loading.take());
}

TEST(SceneLoading, MayGoInTheMiddleOfALoad) {
    SceneLoading loading;
    start_loading(loading, {"generate:terrain,triangles=200000"});
    start_loading(loading, {"generate:terrain,triangles=300000"});
}

TEST(FolderListing, ShowsFoldersFirstAndOnlyWhatCanBeOpened) {
    test::TempFolder temporary;
    fs::path folder = temporary.path("listed");
    fs::create_directories(folder / "zebra");
    fs::create_directories(folder / ".hidden");
    for (const char* name : {"b.OBJ", "a.toml", "notes.txt", ".c.obj"})
        std::ofstream(folder / name) << "12345";
    auto listing = list_folder(folder.string() + "/", {".obj", ".toml"});
    EXPECT_EQ(listing.path, folder.string());
    ASSERT_EQ(listing.entries.size(), 3u);
    EXPECT_TRUE(listing.entries[0].is_folder);
    EXPECT_EQ(listing.entries[0].name, "zebra");
    EXPECT_EQ(listing.entries[1].name, "a.toml");
    EXPECT_EQ(listing.entries[2].name, "b.OBJ");
    EXPECT_EQ(listing.entries[2].bytes, 5u);
    fs::remove_all(folder);
    EXPECT_NE(list_folder(folder.string(), {}).error, "");
}

TEST(Screenshot, NeverTakesANameThatIsTaken) {
    test::TempFolder temporary;
    fs::path folder = temporary.path("shots");
    fs::create_directories(folder);
    auto first =
        free_screenshot_path(folder.string(), screenshot_name("a/b c", "whitted", 8), ".png");
    EXPECT_EQ(first, (folder / "a-b-c_whitted_8spp_1.png").string());
    std::ofstream(first) << "x";
    EXPECT_EQ(free_screenshot_path(folder.string(), screenshot_name("a/b c", "whitted", 8), ".png"),
              (folder / "a-b-c_whitted_8spp_2.png").string());
}

}  // namespace
}  // namespace tl::scene_loading_tests
