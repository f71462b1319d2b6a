// Names that resemble mistyped ones.
#include "core/base/near_match.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_folder.h"

namespace tl::near_match_tests {
namespace {

const std::vector<std::string> kNames{"view", "render", "compare", "export"};

TEST(NearMatch, NearMatchesAreMistypings) {
    EXPECT_EQ(near_match("rnder", kNames), "render");
    EXPECT_EQ(near_match("redner", kNames), "render");
    EXPECT_EQ(near_match("exprot", kNames), "export");
    EXPECT_EQ(near_match("veiw", kNames), "view");
    EXPECT_EQ(near_match("paint", kNames), "");
    EXPECT_EQ(near_match("", kNames), "");
    EXPECT_EQ(near_match(std::string(10'000, 'x'), kNames), "");
}

TEST(NearMatch, ErrorsListNamesAndSuggestOne) {
    EXPECT_EQ(known_names("exprot", kNames),
              "; known: view, render, compare, export; did you mean 'export'?");
    EXPECT_EQ(known_names("paint", kNames), "; known: view, render, compare, export");
    EXPECT_EQ(suggestion("veiw", kNames), "; did you mean 'view'?");
}

TEST(NearMatch, PathsAreCorrectedPartByPart) {
    test::TempFolder folder;
    auto path = folder.write("scenes/bunny.toml", "");
    auto meant = "; did you mean '" + path + "'?";
    EXPECT_EQ(path_suggestion(folder.path("scenes/buny.toml")), meant);
    EXPECT_EQ(path_suggestion(folder.path("scene/bunny.toml")), meant);
    EXPECT_EQ(path_suggestion(folder.path("scenes/atrium.toml")), "");
    EXPECT_EQ(path_suggestion(folder.path("none/bunny.toml")), "");
    // A folder is no file to read.
    EXPECT_EQ(path_suggestion(folder.path("scens")), "");
}

}  // namespace
}  // namespace tl::near_match_tests
