// Compiled by the host compiler, only where the build has CUDA.
#include <glad/gl.h>

#include <cuda_gl_interop.h>

#include <array>
#include <memory>

#include "accel/parallel/cuda_check.h"
#include "app/viewer/pixel_path.h"

namespace tl {
namespace {

/// Refuses in words. Any error at all means that the two cannot share; it must not linger for the
/// next launch to report.
void check_sharing(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw UserError(std::string(cudaGetErrorString(status)) + " (" + what + ")");
}

/// The GL context must run on the GPU that CUDA uses.
void check_same_gpu() {
    int device = 0;
    check_sharing(cudaGetDevice(&device), "cudaGetDevice");
    int gl_devices[16];
    unsigned count = 0;
    check_sharing(cudaGLGetDevices(&count, gl_devices, 16, cudaGLDeviceListAll),
                  "cudaGLGetDevices");
    for (unsigned i = 0; i < count; ++i)
        if (gl_devices[i] == device) return;
    throw UserError("OpenGL runs on another GPU than CUDA");
}

/// A GL buffer of so many pixels that CUDA can write.
class SharedBuffer {
  public:
    explicit SharedBuffer(std::size_t pixels) : pixels_(pixels) {
        glCreateBuffers(1, &name_);
        glNamedBufferData(name_, static_cast<GLsizeiptr>(pixels * 4), nullptr, GL_STREAM_DRAW);
        auto status =
            cudaGraphicsGLRegisterBuffer(&resource_, name_, cudaGraphicsRegisterFlagsWriteDiscard);
        if (status != cudaSuccess) glDeleteBuffers(1, &name_);
        check_sharing(status, "cudaGraphicsGLRegisterBuffer");
    }
    ~SharedBuffer() {
        TL_CUDA_CHECK_PRINT(cudaGraphicsUnregisterResource(resource_));
        glDeleteBuffers(1, &name_);
    }
    SharedBuffer(const SharedBuffer&) = delete;
    SharedBuffer& operator=(const SharedBuffer&) = delete;
    [[nodiscard]] GLuint name() const { return name_; }

    void write(Session& session) {
        auto stream = static_cast<cudaStream_t>(session.stream().native());
        void* mapped = nullptr;
        std::size_t bytes = 0;
        check_sharing(cudaGraphicsMapResources(1, &resource_, stream), "cudaGraphicsMapResources");
        check_sharing(cudaGraphicsResourceGetMappedPointer(&mapped, &bytes, resource_),
                      "cudaGraphicsResourceGetMappedPointer");
        try {
            session.film().tone_map(session.stream(), session.display_map(),
                                    {static_cast<std::uint32_t*>(mapped), pixels_}, false);
        } catch (...) {
            TL_CUDA_CHECK_PRINT(cudaGraphicsUnmapResources(1, &resource_, stream));
            throw;
        }
        check_sharing(cudaGraphicsUnmapResources(1, &resource_, stream),
                      "cudaGraphicsUnmapResources");
    }

  private:
    std::size_t pixels_;
    GLuint name_ = 0;
    cudaGraphicsResource_t resource_ = nullptr;
};

/// Buffers in turn: mapping one makes CUDA's stream wait until GL has read what it held, and a
/// frame shall not wait for the one before.
class CudaPath final : public PixelPath {
  public:
    explicit CudaPath(Extent extent) {
        check_same_gpu();
        for (auto& buffer : buffers_)
            buffer = std::make_unique<SharedBuffer>(static_cast<std::size_t>(extent.pixels()));
    }

    std::string name() const override { return "CUDA writes the pixel buffer"; }

    PixelSlice write(Session& session) override {
        auto& buffer = *buffers_[next_];
        next_ = (next_ + 1) % buffers_.size();
        buffer.write(session);
        return {buffer.name(), 0};
    }

  private:
    std::array<std::unique_ptr<SharedBuffer>, 3> buffers_;
    std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<PixelPath> make_cuda_path(Extent extent) {
    return std::make_unique<CudaPath>(extent);
}

}  // namespace tl
