#include <glad/gl.h>

#include <array>

#include "app/viewer/gl/pixel_path.h"

namespace tl {
namespace {

class MappedPath final : public PixelPath {
  public:
    explicit MappedPath(Extent extent)
        : extent_(extent), part_bytes_(std::size_t(extent.pixels()) * 4) {
        constexpr GLbitfield kAccess =
            GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
        auto bytes = static_cast<GLsizeiptr>(part_bytes_ * kParts);
        glCreateBuffers(1, &buffer_);
        glNamedBufferStorage(buffer_, bytes, nullptr, kAccess);
        mapped_ = static_cast<std::byte*>(glMapNamedBufferRange(buffer_, 0, bytes, kAccess));
        if (!mapped_) {
            glDeleteBuffers(1, &buffer_);
            throw UserError("GL cannot map " + std::to_string(bytes >> 20) +
                            " MB for the picture: make the window smaller");
        }
    }
    ~MappedPath() override {
        for (auto fence : fences_) glDeleteSync(fence);
        glUnmapNamedBuffer(buffer_);
        glDeleteBuffers(1, &buffer_);
    }

    std::string name() const override { return "persistently mapped pixel buffer"; }

    void begin() override {
        part_ = (part_ + 1) % kParts;
        wait_for(fences_[part_]);
    }

    void write(Session& session) override {
        auto pixels = static_cast<std::size_t>(extent_.pixels());
        auto* target = reinterpret_cast<std::uint32_t*>(mapped_ + part_ * part_bytes_);
        auto& stream = session.stream();
        if (session.device().kind() == DeviceKind::cpu) {
            session.display().show({target, pixels}, false);
        } else {
            Scratch::Scope scope(session.scratch());
            auto packed = session.scratch().take<std::uint32_t>(pixels);
            session.display().show(packed, false);
            session.device().download(stream, target, packed.data, part_bytes_);
        }
    }

    PixelSlice hand_over() override { return {buffer_, part_ * part_bytes_}; }

    void was_read() override { fences_[part_] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0); }

  private:
    static constexpr std::size_t kParts = 3;

    /// Waits until GL has read the part, before it is overwritten.
    static void wait_for(GLsync& fence) {
        if (!fence) return;
        constexpr GLuint64 kSecond = 1'000'000'000;
        GLenum state = GL_TIMEOUT_EXPIRED;
        while (state == GL_TIMEOUT_EXPIRED)
            state = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond);
        if (state == GL_WAIT_FAILED) glFinish();
        glDeleteSync(fence);
        fence = nullptr;
    }

    Extent extent_;
    std::size_t part_bytes_;
    std::size_t part_ = 0;
    GLuint buffer_ = 0;
    std::byte* mapped_ = nullptr;
    std::array<GLsync, kParts> fences_{};
};

}  // namespace

std::unique_ptr<PixelPath> make_mapped_path(Extent extent) {
    return std::make_unique<MappedPath>(extent);
}

}  // namespace tl
