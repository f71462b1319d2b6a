// Random input test of the interface: input is the same for the same seed, and reaches all parts of
// the interface.
#include <gtest/gtest.h>

#include <set>

#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/random_input/playground.h"
#include "app/viewer/random_input/random_input.h"
#include "core/base/files.h"
#include "tests/unit/temp_folder.h"

namespace tl::random_input_tests {
namespace {

std::vector<RandomInput::Turn> turns(std::uint64_t seed, int count) {
    RandomInput input(seed, viewer_commands(), {"a.toml", "none.obj"});
    std::vector<RandomInput::Turn> found;
    for (int i = 0; i < count; ++i) found.push_back(input.next({800, 600}, 1));
    return found;
}

std::vector<std::string> words(const std::vector<RandomInput::Turn>& of) {
    std::vector<std::string> found;
    for (auto& turn : of) found.push_back(turn.what);
    return found;
}

TEST(RandomInput, TheSameSeedGivesTheSame) {
    EXPECT_EQ(words(turns(1, 500)), words(turns(1, 500)));
    EXPECT_NE(words(turns(1, 500)), words(turns(2, 500)));
}

TEST(RandomInput, GivesEveryKindOfEvent) {
    std::set<std::size_t> kinds;
    bool resized = false;
    for (auto& turn : turns(1, 3000)) {
        resized |= turn.resize.has_value();
        for (auto& event : turn.events) kinds.insert(event.index());
    }
    EXPECT_EQ(kinds.size(), std::variant_size_v<InputEvent>);
    EXPECT_TRUE(resized);
}

TEST(RandomInput, EveryButtonAndControlKeyIsLetGoOf) {
    int buttons = 0;
    for (auto& turn : turns(3, 3000))
        for (auto& event : turn.events)
            if (auto* button = std::get_if<ButtonEvent>(&event)) {
                buttons += button->down ? 1 : -1;
                EXPECT_TRUE(buttons == 0 || buttons == 1);
            }
}

TEST(Playground, TakesAllThatIsWrittenAndIsRemoved) {
    test::TempFolder elsewhere;
    auto mine = elsewhere.write("mine.txt", "old");
    std::string folder;
    {
        Playground playground;
        folder = playground.folder();
        write_file(mine, "new");
        write_file("/no/such/folder/picture.png", "1");
        EXPECT_EQ(read_file(folder + "/mine.txt"), "new");
        EXPECT_EQ(read_file(folder + "/picture.png"), "1");
        EXPECT_EQ(read_file(mine), "old");
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
    write_file(mine, "new");
    EXPECT_EQ(read_file(mine), "new");
}

}  // namespace
}  // namespace tl::random_input_tests
