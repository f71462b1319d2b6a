// Choices of the second side of a comparison as text.
#include <gtest/gtest.h>

#include "app/viewer/actions/compare_actions.h"
#include "core/base/error.h"
#include "core/device/registry.h"

namespace tl::side_choices_tests {
namespace {

TEST(SideChoices, AreReadFromTextAndWrittenAgain) {
    auto choices = parse_side_choices("tree-max-leaf-size=03,renderer=path,builder=lbvh,seed=7");
    EXPECT_EQ(choices.renderer, "path");
    EXPECT_EQ(choices.builder, "lbvh");
    EXPECT_EQ(choices.device, "");
    EXPECT_EQ(choices.seed, 7u);
    ASSERT_NE(choices.find("tree", "max-leaf-size"), nullptr);
    EXPECT_EQ(*choices.find("tree", "max-leaf-size"), "3");
    EXPECT_EQ(choices.find("tree", "layout"), nullptr);
    EXPECT_EQ(parse_side_choices(text_of(choices)), choices);
    choices.set("tree", "max-leaf-size", "");
    EXPECT_TRUE(choices.settings.empty());
    // The renderer's id and the setting's both have a hyphen.
    auto heat = parse_side_choices("renderer=heat-map,heat-map-count=tests,device=cpu");
    EXPECT_EQ(*heat.find("heat-map", "count"), "tests");
    EXPECT_EQ(heat.device, "cpu");
}

TEST(SideChoices, ErrorsSayWhatIsKnown) {
    auto fails = [](const std::string& text, const std::string& part) {
        try {
            auto choices = parse_side_choices(text);
            check_choices(choices, find_device("cpu"));
            ADD_FAILURE() << text << " is taken";
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    fails("", "NAME=VALUE");
    fails("path", "'path' is not NAME=VALUE");
    fails("renderer=", "NAME=VALUE");
    fails("renderer=path,", "NAME=VALUE");
    fails("colour=red", "unknown 'colour'; known: renderer, builder");
    fails("renderer=paths", "known: whitted");
    fails("builder=no-such-builder", "lbvh");
    fails("device=tpu", "tpu");
    fails("seed=-1", "seed '-1'");
    fails("tree-max-leaf-size=many", "max-leaf-size");
    fails("tree-layout=bvh3", "bvh2");
    fails("film-exposure=1", "both sides are shown with the same exposure");
}

}  // namespace
}  // namespace tl::side_choices_tests
