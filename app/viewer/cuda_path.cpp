// Compiled by the host compiler, only where the build has CUDA.
#include <glad/gl.h>

#include <cuda_gl_interop.h>

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

class CudaPath final : public PixelPath {
  public:
    explicit CudaPath(Extent extent) : pixels_(static_cast<std::size_t>(extent.pixels())) {
        check_same_gpu();
        glCreateBuffers(1, &buffer_);
        glNamedBufferData(buffer_, static_cast<GLsizeiptr>(pixels_ * 4), nullptr, GL_STREAM_DRAW);
        auto status = cudaGraphicsGLRegisterBuffer(&resource_, buffer_,
                                                   cudaGraphicsRegisterFlagsWriteDiscard);
        if (status != cudaSuccess) glDeleteBuffers(1, &buffer_);
        check_sharing(status, "cudaGraphicsGLRegisterBuffer");
    }
    ~CudaPath() override {
        TL_CUDA_CHECK_PRINT(cudaGraphicsUnregisterResource(resource_));
        glDeleteBuffers(1, &buffer_);
    }

    std::string name() const override { return "CUDA writes the pixel buffer"; }

    PixelSlice write(Session& session) override {
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
        return {buffer_, 0};
    }

  private:
    std::size_t pixels_;
    GLuint buffer_ = 0;
    cudaGraphicsResource_t resource_ = nullptr;
};

}  // namespace

std::unique_ptr<PixelPath> make_cuda_path(Extent extent) {
    return std::make_unique<CudaPath>(extent);
}

}  // namespace tl
