#include "app/viewer/views/picture_side.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/jobs/format.h"
#include "app/viewer/views/motion_resolution.h"
#include "core/base/error.h"
#include "renderer/images/metrics.h"

namespace tl {
namespace {

/// Copies a picture to films of its size, or of a coarser one while the view moves.
class PictureRenderer final : public Renderer {
  public:
    explicit PictureRenderer(PictureFile picture) : picture_(std::move(picture)) {}
    [[nodiscard]] const PictureFile& picture() const { return picture_; }
    [[nodiscard]] bool is_done() const override { return true; }

    void render(const FrameContext& context) override {
        FilmView film = context.film.view();
        auto pixels = static_cast<std::size_t>(film.extent.pixels());
        auto upload = [&](void* to, const auto& values) {
            context.stream().device().upload(context.stream(), to, values.data(),
                                             values.size() * sizeof values[0]);
        };
        upload(film.ray_count, std::vector<std::uint32_t>(pixels));
        if (context.frame.sample == 0) upload(film.radiance_sum, samples_for(film.extent));
    }

  private:
    [[nodiscard]] std::vector<vec4> samples_for(Extent film) const {
        auto& [size, rgb] = picture_.radiance;
        std::vector<vec4> samples;
        samples.reserve(static_cast<std::size_t>(film.pixels()));
        for (int y = 0; y < film.height; ++y)
            for (int x = 0; x < film.width; ++x) {
                int u = static_cast<int>((2 * std::int64_t{x} + 1) * size.width / (2 * film.width));
                int v =
                    static_cast<int>((2 * std::int64_t{y} + 1) * size.height / (2 * film.height));
                auto pixel = static_cast<std::size_t>(v) * static_cast<std::size_t>(size.width) +
                             static_cast<std::size_t>(u);
                samples.emplace_back(rgb[pixel], 1);
            }
        return samples;
    }

    PictureFile picture_;
};

/// Whether a film of this size shows the picture, at full resolution or while the view moves.
bool fits(Extent picture, Extent film) {
    for (int n = 1; n <= MotionResolution::kCoarsest; ++n)
        if ((picture.width + n - 1) / n == film.width &&
            (picture.height + n - 1) / n == film.height)
            return true;
    return false;
}

}  // namespace

std::string PictureFile::name() const {
    return std::filesystem::path(path).filename().string();
}

PictureFile read_picture_file(const std::string& path) {
    PictureFile picture{.path = path, .radiance = {}, .shown = {}};
    picture.is_shown = !is_linear_picture(path);
    if (picture.is_shown) {
        picture.shown = read_image16(path);
        picture.radiance = linear_of(picture.shown);
    } else {
        picture.radiance = read_image(path);
    }
    return picture;
}

std::unique_ptr<Session> picture_session(Session& first, PictureFile picture) {
    auto session = std::make_unique<Session>(first.device(), first.shared_stream());
    auto name = picture.name();
    session->set_renderer(name, std::make_unique<PictureRenderer>(std::move(picture)));
    return session;
}

const PictureFile* picture_in(Session& session) {
    auto* renderer = dynamic_cast<PictureRenderer*>(&session.renderer());
    return renderer ? &renderer->picture() : nullptr;
}

void follow_picture(Session& session, Session& first) {
    auto& picture = *picture_in(session);
    Extent size = picture.radiance.extent, film = first.extent();
    if (!fits(size, film))
        throw UserError(
            formatted("%s has %dx%d pixels, and this picture %dx%d; compare pictures "
                      "of one size, by `treelight view --size %dx%d`",
                      picture.name().c_str(), size.width, size.height, film.width, film.height,
                      size.width, size.height));
    session.resize(film);
    auto& config = session.display().config();
    config = {};
    config.tone_map = picture.is_shown ? ToneMap{} : first.display().config().tone_map;
}

}  // namespace tl
