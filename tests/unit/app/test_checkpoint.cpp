// Checkpoints of pictures: files that are read back whole or refused, and continued pictures with
// the bits of those that were never interrupted.
#include <gtest/gtest.h>

#include "app/jobs/checkpoint_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/loader.h"
#include "session/picture_state.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::checkpoint_tests {
namespace {

const PictureKey kKey{{"--seed", "1"}, {"--size", "4x2"}, {"box.toml", "contents of checksum 5f"}};

PictureState small_state() {
    return {{7, 9}, std::string(128, 'r'), std::string(128, 'h'), std::string(8, '\1'), {"a", ""}};
}

std::string written(const test::TempFolder& folder, const PictureKey& key,
                    const PictureState& state) {
    auto path = folder.path("c.ckpt");
    write_checkpoint(path, key, state);
    return read_file(path);
}

std::string refusal_of(const std::string& bytes, const PictureKey& key = kKey) {
    return test::refusal([&] { (void)read_checkpoint("c.ckpt", bytes, key); });
}

TEST(CheckpointFile, HasTheStateThatWasWritten) {
    test::TempFolder folder;
    auto state = small_state();
    auto found = read_checkpoint("c.ckpt", written(folder, kKey, state), kKey);
    EXPECT_EQ(found.samples, state.samples);
    EXPECT_EQ(found.radiance_sum, state.radiance_sum);
    EXPECT_EQ(found.half_sum, state.half_sum);
    EXPECT_EQ(found.done, state.done);
    EXPECT_EQ(found.layers, state.layers);
}

TEST(CheckpointFile, AnyChangedByteAndAnyMissingEndIsAnError) {
    test::TempFolder folder;
    auto bytes = written(folder, kKey, small_state());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 0x40);
        EXPECT_NE(refusal_of(changed), "") << "byte " << i;
        EXPECT_NE(refusal_of(bytes.substr(0, i)), "") << i << " bytes";
    }
    TL_EXPECT_CONTAINS(refusal_of(bytes + "x"), "c.ckpt: is damaged");
    TL_EXPECT_CONTAINS(refusal_of("a picture"), "is no checkpoint of treelight");
    TL_EXPECT_CONTAINS(refusal_of("treelight checkpoint 9\n"), "of another version of treelight");
}

TEST(CheckpointFile, AnotherPictureIsAnErrorThatSaysWhatDiffers) {
    test::TempFolder folder;
    auto bytes = written(folder, kKey, small_state());
    EXPECT_EQ(refusal_of(bytes), "");
    auto key = kKey;
    key[0].value = "2";
    key.push_back({"wood.png", "no file"});
    TL_EXPECT_CONTAINS(refusal_of(bytes, key),
                       "c.ckpt: is of another picture: --seed is 2 instead of 1, wood.png is new");
    TL_EXPECT_CONTAINS(refusal_of(bytes, {kKey[0], kKey[1]}), "box.toml is missing");
    for (auto& fact : key) fact.value += "?";
    TL_EXPECT_CONTAINS(refusal_of(bytes, key), " and 1 more; repeat its command");
}

std::unique_ptr<Session> session_of(Device& device, const std::string& renderer, float error) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml"))));
    session->set_renderer(renderer);
    if (renderer == "photon") session->settings().set("photon", "photons", "2000");
    if (error > 0) session->settings().set("sampling", "error", std::to_string(error));
    session->resize({37, 21});
    return session;
}

void add_frames(Session& session, std::uint32_t samples) {
    while (session.samples() < samples) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
}

/// State after `samples` samples, `first` of them by another session.
PictureState continued(Device& device, const std::string& renderer, float error,
                       std::uint32_t first, std::uint32_t samples) {
    AovBuffers no_layers;
    auto begun = session_of(device, renderer, error);
    add_frames(*begun, first);
    auto state = picture_state(*begun, no_layers, {first});
    auto session = session_of(device, renderer, error);
    EXPECT_TRUE(resume_picture(
        *session, no_layers, state, 0, [] { return false; }, [] {}));
    EXPECT_EQ(session->samples(), first);
    add_frames(*session, samples);
    return picture_state(*session, no_layers, {samples});
}

TEST(PictureState, ContinuedPicturesHaveTheBitsOfUninterruptedOnes) {
    struct Case {
        const char* renderer;
        float error;
        std::uint32_t first, samples;
    };
    for (Device* device : devices())
        for (auto [renderer, error, first, samples] :
             {Case{"whitted", 0, 1, 3}, Case{"path", 0, 3, 5}, Case{"photon", 0, 2, 4},
              Case{"path", 0.2f, 19, 33}, Case{"path", 0.2f, 24, 26}}) {
            AovBuffers no_layers;
            auto alone = session_of(*device, renderer, error);
            add_frames(*alone, samples);
            auto wanted = picture_state(*alone, no_layers, {samples});
            auto found = continued(*device, renderer, error, first, samples);
            EXPECT_EQ(found.radiance_sum, wanted.radiance_sum) << renderer << device->name();
            EXPECT_EQ(found.half_sum, wanted.half_sum) << renderer << device->name();
            EXPECT_EQ(found.done, wanted.done) << renderer << device->name();
        }
}

TEST(PictureState, OfAnotherSizeIsAnError) {
    AovBuffers no_layers;
    auto session = session_of(find_device("cpu"), "path", 0);
    PictureState state{{1}, "too short", "", "", {}};
    auto resume = [&] {
        (void)resume_picture(
            *session, no_layers, state, 0, [] { return false; }, [] {});
    };
    TL_EXPECT_CONTAINS(test::refusal(resume), "other arrays than the film");
}

}  // namespace
}  // namespace tl::checkpoint_tests
