// Frames that are split over several devices: their pictures are those of one device.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "renderer/film/tile_transfer.h"
#include "renderer/scene/camera_path.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/scene_document.h"
#include "renderer/shading/camera_rays.h"
#include "session/session.h"
#include "session/session_options.h"
#include "session/split/photon_exchange.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/solvers/faulty_device.h"
#include "tests/source_path.h"

namespace tl::split_frames_tests {
namespace {

constexpr Extent kPictureSize{50, 37};

/// Lists of devices that share frames, each with the device whose pictures they equal.
std::vector<std::vector<Device*>> device_lists() {
    Device* cpu = devices()[0];
    std::vector<std::vector<Device*>> lists{{cpu, cpu}, {cpu, cpu, cpu}};
    if (Device* gpu = first_gpu()) {
        lists.push_back({gpu, gpu});
        if (devices().size() > 2) lists.push_back(find_devices("cuda:all"));
    }
    return lists;
}

std::shared_ptr<const Scene> box() {
    return std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml")));
}

std::unique_ptr<Session> session_on(const std::vector<Device*>& list,
                                    std::shared_ptr<const Scene> scene) {
    auto session = std::make_unique<Session>(*list[0]);
    session->split_over({list.begin() + 1, list.end()});
    session->set_scene(std::move(scene));
    session->resize(kPictureSize);
    return session;
}

/// Renders frames until the picture has `n` samples: it may restart meanwhile.
void take(Session& session, std::uint32_t n) {
    while (session.samples() != n) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        if (session.samples() == n) (void)session.film();  // which a device may fail to give
    }
}

std::vector<vec3> picture_of_session(Session& session) {
    return session.film().radiance(session.stream()).rgb;
}

/// Makes the same picture on one device and on each list; `make` leaves a session with samples.
/// `tolerance`: largest difference of a channel, 0 for equal bits.
template <class Make>
void expect_equal_pictures(const std::shared_ptr<const Scene>& scene, const Make& make,
                           float tolerance = 0) {
    for (auto& list : device_lists()) {
        auto alone = session_on({list[0]}, scene), split = session_on(list, scene);
        make(*alone);
        make(*split);
        EXPECT_EQ(split->inspection().take_warning(), "") << ids_of(list);
        ASSERT_EQ(split->devices(), list);
        auto expected = picture_of_session(*alone), found = picture_of_session(*split);
        ASSERT_EQ(expected.size(), found.size());
        float worst = 0;
        std::size_t n_differing = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            for (int c = 0; c < 3; ++c) {
                float error = std::abs(expected[i][c] - found[i][c]);
                n_differing += error > tolerance ? 1 : 0;
                worst = std::max(worst, error);
            }
        EXPECT_EQ(n_differing, 0u) << ids_of(list) << ": " << worst;
    }
}

class SplitPictures : public testing::TestWithParam<std::string> {};

TEST_P(SplitPictures, EqualThoseOfOneDevice) {
    std::string renderer = GetParam();
    // Packets of rays on the CPU add up a pixel's light in an order that depends on the pixels
    // around it.
    float tolerance = renderer == "whitted" ? 1e-5f : 0;
    expect_equal_pictures(
        box(),
        [&](Session& session) {
            if (session.renderer_id() != renderer) session.set_renderer(renderer);
            session.settings().set("radiosity", "points", "600");
            session.settings().set("photon", "photons", "5000");
            take(session, 2);
        },
        tolerance);
}

std::vector<std::string> all_renderers() {
    std::vector<std::string> ids;
    for (auto& row : renderers()) ids.push_back(row.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(Renderers, SplitPictures, testing::ValuesIn(all_renderers()),
                         [](auto& info) { return test::test_name(info.param); });

class SplitPhotons : public testing::TestWithParam<std::string> {};

TEST_P(SplitPhotons, AreTracedByAllDevicesAndGiveTheSamePicture) {
    TL_LONG_TEST();
    expect_equal_pictures(box(), [&](Session& session) {
        session.set_renderer("photon");
        session.settings().set("photon", "mode", GetParam());
        session.settings().set("photon", "photons", "70000");
        session.settings().set("photon", "thesis-gather-rays", "8");
        take(session, 2);
    });
}

INSTANTIATE_TEST_SUITE_P(Modes, SplitPhotons,
                         testing::Values("progressive", "sppm", "thesis", "vcm"),
                         [](auto& info) { return test::test_name(info.param); });

TEST(SplitFrames, FollowWhatTheSessionChanges) {
    expect_equal_pictures(box(), [](Session& session) {
        session.set_renderer("path");
        take(session, 2);
        session.settings().set("path", "max-depth", "2");
        take(session, 2);
        session.set_builder("lbvh");
        session.camera.eye += vec3(0.1f, 0.05f, 0);
        take(session, 1);
        session.resize({33, 50});
        session.seed = 7;
        take(session, 5);
        session.camera.eye += vec3(0.1f, 0.05f, 0);
        session.restart();
        take(session, 3);
    });
}

TEST(SplitFrames, ShowTheTonesOfOneDevice) {
    for (auto& list : device_lists())
        for (bool bottom_up : {false, true}) {
            std::vector<std::vector<std::uint32_t>> shown;
            for (auto& devices : {std::vector<Device*>{list[0]}, list}) {
                auto session = session_on(devices, box());
                session->set_renderer("path");
                for (int i = 0; i < 3; ++i) {
                    session->begin_frame();
                    session->render_frame();
                    session->end_frame();
                }
                DeviceArray<std::uint32_t> picture(session->stream(),
                                                   std::size_t(kPictureSize.pixels()));
                session->display().show(picture.view(), bottom_up);
                shown.push_back(picture.download(session->stream()));
                // The film is whole, too, when it is read.
                session->display().show(picture.view(), bottom_up);
                (void)session->film();
                session->display().show(picture.view(), bottom_up);
                EXPECT_EQ(picture.download(session->stream()), shown.back());
            }
            EXPECT_EQ(shown[0], shown[1]) << ids_of(list);
        }
}

TEST(SplitFrames, FollowEditsOfTheScene) {
    expect_equal_pictures(box(), [](Session& session) {
        session.set_renderer("path");
        auto edited = std::make_shared<Scene>(session.scene());
        session.set_scene(edited);
        session.set_renderer("path");
        take(session, 2);
        for (auto& material : edited->materials) material.diffuse *= vec3(0.5f, 1, 1);
        session.follow_scene({.any = true});
        take(session, 2);
        for (auto& mesh : edited->meshes)
            for (auto& position : mesh.positions) position.y *= 0.9f;
        session.follow_scene({.any = true, .geometry = true});
        take(session, 2);
    });
}

TEST(SplitFrames, SampleAdaptively) {
    expect_equal_pictures(box(), [](Session& session) {
        session.set_renderer("path");
        session.settings().set("sampling", "error", "0.2");
        take(session, 40);
        auto n = session.inspection().unfinished_pixels();
        ASSERT_TRUE(n);
        EXPECT_LT(*n, static_cast<std::uint32_t>(kPictureSize.pixels()));
    });
}

TEST(SplitFrames, BlurMotion) {
    auto scene = std::make_shared<Scene>(load_scene("generate:explosion,triangles=500"));
    expect_equal_pictures(scene, [](Session& session) {
        session.set_renderer("path");
        session.settings().set("sampling", "shutter", "0.5");
        session.time = 1;
        take(session, 3);
    });
}

TEST(SplitFrames, CountTheRaysOfAllDevices) {
    auto scene = box();
    for (auto& list : device_lists()) {
        auto alone = session_on({list[0]}, scene), split = session_on(list, scene);
        for (auto* session : {alone.get(), split.get()}) {
            session->set_renderer("path");
            take(*session, 1);
        }
        EXPECT_EQ(alone->film().rays_of_frame(alone->scratch()),
                  split->film().rays_of_frame(split->scratch()));
    }
}

TEST(SplitFrames, ADeviceThatRunsOutOfMemoryIsDroppedWithAWarning) {
    auto scene = box();
    auto alone = session_on({devices()[0]}, scene);
    alone->set_renderer("path");
    take(*alone, 3);
    for (long n : {0L, 3L, 20L, 60L}) {
        test::FaultyDevice faulty(*devices()[0]);
        {
            auto split = session_on({devices()[0], devices()[0], &faulty}, scene);
            split->set_renderer("path");
            faulty.fail_after(n);
            take(*split, 3);
            auto warning = split->inspection().take_warning();
            if (faulty.n_failed() > 0) {
                EXPECT_TRUE(warning.starts_with("device cpu is no longer used")) << warning;
                EXPECT_NE(warning.find("run it without faults"), std::string::npos) << warning;
                EXPECT_EQ(split->devices().size(), 2u);
            }
            EXPECT_EQ(split->samples(), 3u);
            EXPECT_EQ(picture_of_session(*split), picture_of_session(*alone)) << n;
        }
        EXPECT_EQ(faulty.n_live(), 0) << n;
    }
}

TEST(SplitFrames, ADeviceThatFailsAmongPhotonsIsDropped) {
    TL_LONG_TEST();
    auto scene = box();
    auto make = [](Session& session) {
        session.set_renderer("photon");
        session.settings().set("photon", "photons", "70000");
        session.settings().set("photon", "thesis-gather-rays", "8");
        take(session, 2);
    };
    auto alone = session_on({devices()[0]}, scene);
    make(*alone);
    int n_dropped = 0;
    for (long n = 1; n < 200; n = 2 * n + 5) {
        test::FaultyDevice faulty(*devices()[0]);
        auto split = session_on({devices()[0], &faulty}, scene);
        faulty.fail_after(n);
        make(*split);
        n_dropped += split->devices().size() == 1 ? 1 : 0;
        EXPECT_EQ(picture_of_session(*split), picture_of_session(*alone)) << n;
    }
    EXPECT_GT(n_dropped, 2);
}

TEST(SplitFrames, EndWhereTheyAreCancelled) {
    for (auto& list : device_lists()) {
        auto session = session_on(list, box());
        session->set_renderer("photon");
        session->settings().set("photon", "photons", "5000");
        std::atomic<Cancellation> asked = Cancellation::everything;
        session->cancellation = &asked;
        if (list[0]->kind() == DeviceKind::cpu) {
            EXPECT_FALSE(session->render_frame());
        }
        asked = Cancellation::nothing;
        take(*session, 2);
        auto alone = session_on({list[0]}, box());
        alone->set_renderer("photon");
        alone->settings().set("photon", "photons", "5000");
        take(*alone, 2);
        EXPECT_EQ(picture_of_session(*session), picture_of_session(*alone));
        EXPECT_EQ(session->devices(), list);
    }
}

TEST(SplitFrames, OptionsNameTheDevices) {
    SessionOptions options;
    options.device = "cpu,cpu";
    options.size = {8, 8};
    auto session = make_empty_session(options);
    EXPECT_EQ(session->devices().size(), 2u);
    session->set_devices({devices()[0]});
    EXPECT_EQ(session->devices().size(), 1u);
    options.device = "cpu,gpu";
    EXPECT_THROW((void)make_empty_session(options), UsageError);
    options.device = "cpu,";
    EXPECT_THROW((void)make_empty_session(options), UsageError);
}

TEST(FilmShare, PartsHoldEveryTileOnce) {
    for (std::uint32_t n : {1u, 2u, 3u, 7u}) {
        std::vector<int> owned(n);
        for (std::uint32_t y = 0; y < 90; ++y)
            for (std::uint32_t x = 0; x < 160; ++x) {
                int owners = 0;
                for (std::uint32_t i = 0; i < n; ++i)
                    if (FilmShare::of(i, n).owns_tile(x, y)) ++owners, ++owned[i];
                ASSERT_EQ(owners, 1);
            }
        for (int count : owned) EXPECT_NEAR(count, 160 * 90 / int(n), 160 * 90 / 500);
    }
    FilmShare half = FilmShare::of(1, 2);
    FilmShare a = half.part(0, 0.3), b = half.part(0.3, 1);
    EXPECT_EQ(a.begin, half.begin);
    EXPECT_EQ(a.end, b.begin);
    EXPECT_EQ(b.end, FilmShare::kEnd);
    EXPECT_TRUE(FilmShare::of(0, 1).is_whole());
}

TEST(FilmShare, LaunchesTakeItsPixelsAlone) {
    constexpr Extent kPicture{150, 83};
    constexpr int kWidth = kPicture.width;
    for (auto share : {FilmShare::of(0, 1), FilmShare::of(1, 3), FilmShare::of(0, 1000)}) {
        auto tiles = share.tiles_of(kPicture);
        PixelOrder order(kPicture, tiles.data(), static_cast<std::uint32_t>(tiles.size()));
        std::vector<int> visits(static_cast<std::size_t>(kPicture.pixels()));
        for (std::uint32_t i = 0, x, y; i < order.n_items; ++i)
            if (order.pixel(i, x, y)) ++visits[y * kWidth + x];
        for (std::uint32_t i = 0; i < visits.size(); ++i)
            ASSERT_EQ(visits[i], share.owns(i % kWidth, i / kWidth) ? 1 : 0) << i;
    }
}

TEST(FilmShare, TilesAreCopiedAndOthersStay) {
    for (auto& list : device_lists()) {
        auto from_stream = list[1]->create_stream(), to_stream = list[0]->create_stream();
        Film from, to;
        constexpr Extent kSize{37, 50};
        from.resize(*from_stream, kSize);
        to.resize(*to_stream, kSize);
        std::vector<vec4> sums(std::size_t(kSize.pixels()));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = vec4(float(i), 2 * float(i), 3, 1);
        list[1]->upload(*from_stream, from.pixel_arrays()[0].data, sums.data(),
                        sums.size() * sizeof(vec4));
        FilmShare share = FilmShare::of(1, 3);
        TileTransfer transfer;
        for (int round = 0; round < 2; ++round)
            transfer.copy(from, *from_stream, to, *to_stream, share);
        std::vector<vec4> found(sums.size());
        list[0]->download(*to_stream, found.data(), to.pixel_arrays()[0].data,
                          found.size() * sizeof(vec4));
        for (std::uint32_t i = 0; i < sums.size(); ++i) {
            bool owns = share.owns(i % 37, i / 37);
            ASSERT_EQ(found[i], owns ? sums[i] : vec4(0)) << i << " " << ids_of(list);
        }
    }
}

TEST(PhotonExchange, ListsAndNumbersOfAllDevicesComeTogether) {
    constexpr std::size_t kDevices = 3;
    PhotonExchange exchange(kDevices);
    exchange.begin_frame();
    std::vector<std::vector<int>> lists(kDevices, std::vector<int>(12, -1));
    std::vector<std::uint32_t> counts(kDevices), sums(kDevices);
    std::vector<char> met(kDevices);
    std::vector<std::thread> threads;
    for (std::size_t d = 0; d < kDevices; ++d)
        threads.emplace_back([&, d] {
            auto stream = devices()[0]->create_stream();
            auto& share = exchange.share(d);
            met[d] = share.begin_pass(*stream, 5);
            counts[d] = static_cast<std::uint32_t>(d + 1);
            for (std::size_t i = 0; i <= d; ++i) lists[d][i] = static_cast<int>(10 * d + i);
            share.gather(*stream, {{lists[d].data(), sizeof(int)}}, 12, &counts[d]);
            sums[d] = static_cast<std::uint32_t>(1) << d;
            share.add(*stream, &sums[d], 1);
            exchange.drop_out(d);
        });
    for (auto& thread : threads) thread.join();
    for (std::size_t d = 0; d < kDevices; ++d) {
        EXPECT_TRUE(met[d]);
        EXPECT_EQ(counts[d], 6u);
        EXPECT_EQ(sums[d], 7u);
        std::sort(lists[d].begin(), lists[d].begin() + 6);
        EXPECT_EQ(lists[d], (std::vector<int>{0, 10, 11, 20, 21, 22, -1, -1, -1, -1, -1, -1}));
    }
}

TEST(PhotonExchange, FailsWhereADeviceDropsOut) {
    PhotonExchange exchange(2);
    auto stream = devices()[0]->create_stream(), other_stream = devices()[0]->create_stream();
    auto& own = exchange.share(0);
    auto& other = exchange.share(1);
    exchange.begin_frame();
    bool has_begun = true, has_thrown = false;
    std::thread thread([&] {
        has_begun = other.begin_pass(*other_stream, 1);
        std::uint32_t n = 0;
        try {
            other.add(*other_stream, &n, 1);
        } catch (const Cancelled&) {
            has_thrown = true;
        }
    });
    exchange.drop_out(0);
    thread.join();
    EXPECT_FALSE(has_begun);
    EXPECT_TRUE(has_thrown);
    // Passes of different photons are not shared.
    exchange.begin_frame();
    has_begun = true;
    std::thread second([&] { has_begun = other.begin_pass(*other_stream, 1); });
    EXPECT_FALSE(own.begin_pass(*stream, 2));
    second.join();
    EXPECT_FALSE(has_begun);
}

TEST(PhotonExchange, WaitingEndsWhereTheStreamIsCancelled) {
    PhotonExchange exchange(2);
    auto stream = devices()[0]->create_stream();
    std::atomic<Cancellation> asked = Cancellation::everything;
    stream->watch_cancellation(&asked, Cancellation::everything);
    exchange.begin_frame();
    EXPECT_THROW((void)exchange.share(0).begin_pass(*stream, 1), Cancelled);
}

}  // namespace
}  // namespace tl::split_frames_tests
