// Trees built on a second stream while the previous frame is traced give bitwise the same pictures
// as on one stream. Sessions do so only on CUDA; the underlying code is tested on every device.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "renderer/scene/loaders/loader.h"
#include "session/session.h"
#include "tests/solvers/narrow_device.h"

namespace tl::build_ahead_tests {
namespace {

constexpr Extent kSize{48, 36};

const char* const kExplosion = "generate:explosion,triangles=2000,duration=4";
const char* const kWaves = "generate:waves,triangles=5000,duration=4";
const char* const kRigid = "generate:toasters,count=1,duration=4";
const char* const kFrames = "generate:cloth,triangles=5000,duration=4";

std::shared_ptr<Scene> scene_of(const std::string& path) {
    return std::make_shared<Scene>(load_scene(path));
}

/// Copies of the film after each frame, made on the stream without waiting.
class Record {
  public:
    void add(Stream& stream, Film& film) {
        auto n = film.extent().pixels();
        auto view = film.view();
        sums_.emplace_back(stream, n);
        rays_.emplace_back(stream, n);
        auto& device = stream.device();
        device.copy(stream, sums_.back().data(), view.radiance_sum, sums_.back().bytes());
        device.copy(stream, rays_.back().data(), view.ray_count, rays_.back().bytes());
    }
    [[nodiscard]] std::size_t size() const { return sums_.size(); }
    [[nodiscard]] std::vector<vec4> sums(Stream& stream, std::size_t i) const {
        return sums_[i].download(stream);
    }
    [[nodiscard]] std::vector<std::uint32_t> rays(Stream& stream, std::size_t i) const {
        return rays_[i].download(stream);
    }

  private:
    std::vector<DeviceArray<vec4>> sums_;
    std::vector<DeviceArray<std::uint32_t>> rays_;
};

/// A scene with a renderer and a film, without a session, which would choose the mode itself.
class Frames {
  public:
    Frames(Device& device, const std::shared_ptr<const Scene>& scene, bool ahead)
        : stream_(device.create_stream()),
          scratch_(*stream_),
          timer_(*stream_),
          live_(*stream_, scene),
          renderer_(make_renderer("whitted", device)) {
        if (ahead) ahead_ = std::make_unique<BuildAhead>(*stream_);
        live_.set_builder(make_tree_builder("hploc", device));
        film_.resize(*stream_, kSize);
    }
    ~Frames() { stream_->synchronize(); }
    Frames(const Frames&) = delete;
    Frames& operator=(const Frames&) = delete;

    /// Enqueues a frame on the streams without waiting.
    void run(float time) {
        timer_.begin_frame();
        film_.begin_sample(*stream_, 0, false);
        if (ahead_)
            ahead_->update(live_, timer_, time);
        else
            live_.update(scratch_, timer_, time);
        renderer_->render({.frame = {.camera = live_.description().camera, .time = time},
                           .versions = {},
                           .scene = live_,
                           .film = film_,
                           .scratch = scratch_,
                           .timer = timer_});
        timer_.end_frame();
    }
    void run_and_record(float time) {
        run(time);
        record_.add(*stream_, film_);
    }
    void stop() { ahead_->stop(live_); }
    [[nodiscard]] Stream& stream() { return *stream_; }
    [[nodiscard]] StageTimer& timer() { return timer_; }
    [[nodiscard]] LiveScene& live() { return live_; }
    [[nodiscard]] const Record& record() const { return record_; }

  private:
    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    StageTimer timer_;
    std::unique_ptr<BuildAhead> ahead_;
    LiveScene live_;
    std::unique_ptr<Renderer> renderer_;
    Film film_;
    Record record_;
};

void expect_same(Stream& stream, const Record& a, const Record& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a.sums(stream, i), b.sums(stream, i)) << what << ", frame " << i;
        EXPECT_EQ(a.rays(stream, i), b.rays(stream, i)) << what << ", frame " << i;
    }
}

TEST(BuildAhead, PicturesAndRaysAreThoseOfOneStream) {
    // Times that advance, go back and repeat.
    const float times[] = {0, 0.1f, 0.2f, 0.3f, 1.5f, 0.4f, 1.5f, 3.9f, -2.5f, 0, 0, 1.5f};
    for (Device* device : devices())
        for (const char* path : {kExplosion, kWaves, kRigid, kFrames}) {
            auto scene = scene_of(path);
            Frames plain(*device, scene, false), ahead(*device, scene, true);
            for (float time : times) ahead.run_and_record(time);
            for (float time : times) plain.run_and_record(time);
            ahead.stream().synchronize();
            expect_same(plain.stream(), plain.record(), ahead.record(), path + device->name());
            EXPECT_NE(ahead.record().sums(ahead.stream(), 1),
                      ahead.record().sums(ahead.stream(), 4));
            EXPECT_EQ(ahead.record().sums(ahead.stream(), 4),
                      ahead.record().sums(ahead.stream(), 6));
        }
}

TEST(BuildAhead, TurnsMayEndAndBeginAgain) {
    const float times[] = {0, 0.3f, 0.6f, 0.9f, 1.2f};
    for (Device* device : devices()) {
        auto scene = scene_of(kExplosion);
        Frames plain(*device, scene, false), ahead(*device, scene, true);
        // Even and odd numbers of updates, so that each of the two copies is kept once.
        for (std::size_t n_turns : {4u, 5u, 1u}) {
            for (std::size_t i = 0; i < n_turns; ++i) ahead.run_and_record(times[i]);
            EXPECT_TRUE(ahead.live().taking_turns());
            ahead.stop();
            EXPECT_FALSE(ahead.live().taking_turns());
            for (std::size_t i = 0; i < n_turns; ++i) plain.run_and_record(times[i]);
        }
        ahead.stream().synchronize();
        expect_same(plain.stream(), plain.record(), ahead.record(), device->name());
    }
}

TEST(BuildAhead, BothCopiesAreCounted) {
    for (Device* device : devices()) {
        Frames frames(*device, scene_of(kWaves), true);
        frames.live().set_builder(make_tree_builder("lbvh", *device));
        auto before = frames.live().bytes_of_turn();  // no tree yet
        frames.run(0);
        frames.run(0);
        auto copy = frames.live().bytes_of_turn(), both = frames.live().bytes();
        EXPECT_GT(copy, before);
        frames.stop();
        EXPECT_EQ(frames.live().bytes(), both - copy) << device->name();
        EXPECT_EQ(frames.live().bytes_of_turn(), copy);
    }
}

TEST(BuildAhead, SteadyFramesAllocateNothing) {
    for (Device* device : devices())
        for (const char* path : {kExplosion, kFrames}) {
            Frames frames(*device, scene_of(path), true);
            for (int i = 0; i < 6; ++i) frames.run(0.1f * static_cast<float>(i));
            auto before = device->memory_stats().allocation_count;
            for (int i = 0; i < 20; ++i) frames.run(0.1f * static_cast<float>(i));
            frames.stream().synchronize();
            EXPECT_EQ(device->memory_stats().allocation_count, before) << device->name() << path;
        }
}

TEST(BuildAhead, EachCopyTellsWhatItsTreeLeavesOut) {
    for (Device* device : devices()) {
        auto scene = scene_of(kExplosion);
        auto& mesh = scene->meshes[0];
        mesh.positions[mesh.triangles[7].y].x = NAN;
        Frames frames(*device, scene, true);
        for (int i = 0; i < 6; ++i) {
            frames.run(0);
            frames.timer().flush();
        }
        for (int i = 0; i < 2; ++i) {
            frames.run(0);
            ASSERT_TRUE(frames.live().tree().latest_header()) << device->name();
            EXPECT_GT(frames.live().tree().latest_header()->n_dropped, 0u);
        }
    }
}

TEST(BuildAhead, AChangeReachesBothCopies) {
    for (Device* device : devices()) {
        Frames frames(*device, scene_of(kExplosion), true);
        for (int i = 0; i < 3; ++i) frames.run(0);
        frames.live().tree_config().robust = true;
        for (int i = 0; i < 2; ++i) {
            frames.run(0);
            EXPECT_TRUE(frames.live().view().tree.robust) << device->name() << i;
        }
        // Under a policy that keeps trees, each is built once more after a change of the builder.
        frames.live().tree_config().update = UpdatePolicy::once;
        for (auto kind : {UpdateKind::rebuild, UpdateKind::rebuild, UpdateKind::none}) {
            frames.run(0);
            EXPECT_EQ(frames.live().update_kind(), kind);
        }
        frames.live().invalidate_tree();
        for (auto kind : {UpdateKind::rebuild, UpdateKind::rebuild, UpdateKind::none}) {
            frames.run(0);
            EXPECT_EQ(frames.live().update_kind(), kind);
        }
    }
}

/// A change of the session before a frame.
struct Change {
    int frame;
    std::function<void(Session&)> make;
};

std::function<void(Session&)> setting(const char* section, const char* id, const char* value) {
    return [=](Session& session) { session.settings().set(section, id, value); };
}

/// Frames of a session whose builder, settings and scene change; `ahead`: value of build-ahead
/// where it is switched on.
Record changing_session(Session& session, bool ahead) {
    auto build_ahead = [=](bool on) {
        return setting("tree", "build-ahead", ahead && on ? "true" : "false");
    };
    auto scene = [](const char* path) {
        return [=](Session& session) { session.set_scene(scene_of(path)); };
    };
    const Change changes[] = {
        {0, scene(kExplosion)},
        {0, build_ahead(true)},
        {4, [](Session& session) { session.set_builder("lbvh"); }},
        {7, setting("tree", "update", "refit")},
        {9, setting("tree", "update", "rebuild")},
        {12, build_ahead(false)},
        {14, build_ahead(true)},
        {16, setting("tree", "layout", "bvh4")},
        {19, setting("tree", "layout", "auto")},
        {20, scene(kWaves)},
        {23, setting("tree", "sah-drift", "100")},
        {23, setting("tree", "update", "auto")},
        {26, setting("tree", "update", "rebuild")},
        {29, setting("tree", "presplit", "0.3")},
        {32, setting("tree", "update", "static")},
        {34, setting("tree", "update", "rebuild")},
        {37, scene("generate:crowd,count=20,detail=0.25")},
        {39, scene(kFrames)},
        {42,
         [](Session& session) {
             session.resize({20, 16});
         }},
        {44, [](Session& session) { session.set_renderer("heat-map"); }},
    };
    Record record;
    auto change = std::begin(changes);
    session.resize(kSize);
    for (int frame = 0; frame < 48; ++frame) {
        for (; change != std::end(changes) && change->frame == frame; ++change)
            change->make(session);
        session.time += frame % 5 == 4 ? -0.7f : 0.3f;
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        record.add(session.stream(), session.film());
    }
    session.stream().synchronize();
    return record;
}

TEST(BuildAhead, ChangesBetweenFramesGiveThePicturesOfOneStream) {
    for (Device* device : devices()) {
        Session plain(*device), ahead(*device);
        auto shown = changing_session(ahead, true);
        auto expected = changing_session(plain, false);
        expect_same(plain.stream(), expected, shown, device->name());
        EXPECT_FALSE(plain.inspection().builds_ahead());
        EXPECT_EQ(ahead.inspection().builds_ahead(), device->kind() == DeviceKind::cuda);
    }
}

void run_frames(Session& session, int n) {
    for (int i = 0; i < n; ++i) {
        session.time += 0.1f;
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
}

TEST(BuildAhead, SessionsDoSoWhereItPays) {
    for (Device* device : devices()) {
        bool cuda = device->kind() == DeviceKind::cuda;
        Session session(*device);
        session.resize(kSize);
        auto expect_ahead = [&](bool expected, const char* what) {
            run_frames(session, 3);
            EXPECT_EQ(session.inspection().builds_ahead(), expected && cuda)
                << what << device->name();
        };
        session.set_scene(scene_of(kExplosion));
        expect_ahead(true, "a scene that moves");
        session.settings().set("tree", "update", "refit");
        expect_ahead(false, "refitted");
        session.settings().set("tree", "update", "rebuild");
        session.settings().set("tree", "build-ahead", "false");
        expect_ahead(false, "switched off");
        session.settings().set("tree", "build-ahead", "true");
        expect_ahead(true, "switched on again");
        session.set_scene(scene_of("generate:crowd,count=20,detail=0.25"));
        expect_ahead(false, "instances");
        session.set_scene(scene_of("generate:patch-knot,patches=60"));
        expect_ahead(false, "patches");
        Scene with_gaussian = *session.shared_scene();
        with_gaussian.patches = {};
        auto& set = with_gaussian.gaussians.emplace_back();
        set.centers = {vec3(0)};
        set.covariances = {GaussianCovariance::of(vec3(1), {1, 0, 0, 0})};
        set.opacities = {0.5f};
        set.harmonics = {0, 0, 0};
        session.set_scene(std::make_shared<Scene>(std::move(with_gaussian)));
        expect_ahead(false, "Gaussians");
        session.set_scene(scene_of("generate:cornell-box"));
        expect_ahead(true, "a scene that stands still");
        {
            Session second(*device, session.shared_stream());
            second.set_scene(session.shared_scene());
            run_frames(second, 3);
            EXPECT_FALSE(second.inspection().builds_ahead());
            expect_ahead(false, "two sessions on one stream");
        }
        expect_ahead(true, "alone again");
    }
}

TEST(BuildAhead, NeedsRoomForASecondTree) {
    for (Device* device : devices()) {
        // Enough for the scene, but not for more scratch memory and another tree, twice.
        test::NarrowDevice narrow(*device, 2 << 20);
        Session session(narrow);
        session.set_scene(scene_of(kExplosion));
        session.resize(kSize);
        run_frames(session, 4);
        EXPECT_FALSE(session.inspection().builds_ahead()) << device->name();
        EXPECT_EQ(session.samples(), 1u);
    }
}

TEST(BuildAhead, IsNoReasonToBuildAnew) {
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kExplosion));
    session.resize(kSize);
    session.settings().set("tree", "update", "refit");
    run_frames(session, 2);
    session.settings().set("tree", "build-ahead", "false");
    run_frames(session, 1);
    EXPECT_EQ(session.live_scene().update_kind(), UpdateKind::refit);
    session.settings().set("tree", "robust", "true");
    run_frames(session, 1);
    EXPECT_EQ(session.live_scene().update_kind(), UpdateKind::rebuild);
}

}  // namespace
}  // namespace tl::build_ahead_tests
