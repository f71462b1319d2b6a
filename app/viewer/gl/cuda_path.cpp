// Compiled by the host compiler, only where the build has CUDA.
#include <glad/gl.h>

#include <cuda_gl_interop.h>

#include <array>
#include <memory>

#include "app/viewer/gl/pixel_path.h"
#include "core/device/array.h"
#include "core/device/cuda_check.h"

namespace tl {
namespace {

/// Throws UserError with the reason. Any error means that CUDA and GL cannot share memory. Clears
/// the error, so that the next launch does not report it.
void check_sharing(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw UserError(std::string(cudaGetErrorString(status)) + " (" + what + ")");
}

/// Checks that the GL context runs on the GPU that CUDA uses.
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

/// An event that orders streams, without timing.
class OrderEvent {
  public:
    OrderEvent() { TL_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~OrderEvent() { TL_CUDA_CHECK_PRINT(cudaEventDestroy(event_)); }
    OrderEvent(const OrderEvent&) = delete;
    OrderEvent& operator=(const OrderEvent&) = delete;

    void record(cudaStream_t stream) { TL_CUDA_CHECK(cudaEventRecord(event_, stream)); }
    /// Makes later work on the stream wait for the newest record(), if there was one.
    void hold(cudaStream_t stream) { TL_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }

  private:
    cudaEvent_t event_ = nullptr;
};

cudaStream_t native(const Stream& stream) {
    return static_cast<cudaStream_t>(stream.native());
}

/// A GL buffer that CUDA can write, and device memory for the next picture.
class SharedBuffer {
  public:
    SharedBuffer(Stream& handing_over, std::size_t pixels)
        : handing_over_(handing_over), pixels_(handing_over, pixels) {
        glCreateBuffers(1, &name_);
        glNamedBufferData(name_, static_cast<GLsizeiptr>(pixels * sizeof(std::uint32_t)), nullptr,
                          GL_STREAM_DRAW);
        auto status =
            cudaGraphicsGLRegisterBuffer(&resource_, name_, cudaGraphicsRegisterFlagsWriteDiscard);
        if (status != cudaSuccess) glDeleteBuffers(1, &name_);
        check_sharing(status, "cudaGraphicsGLRegisterBuffer");
    }
    ~SharedBuffer() {
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(native(handing_over_)));
        TL_CUDA_CHECK_PRINT(cudaGraphicsUnregisterResource(resource_));
        glDeleteBuffers(1, &name_);
    }
    SharedBuffer(const SharedBuffer&) = delete;
    SharedBuffer& operator=(const SharedBuffer&) = delete;
    [[nodiscard]] GLuint name() const { return name_; }

    void write(Session& session) {
        auto frames = native(session.stream());
        copied_.hold(frames);
        session.display().show(pixels_.view(), false);
        toned_.record(frames);
    }

    void hand_over() {
        auto stream = native(handing_over_);
        toned_.hold(stream);
        void* mapped = nullptr;
        std::size_t bytes = 0;
        check_sharing(cudaGraphicsMapResources(1, &resource_, stream), "cudaGraphicsMapResources");
        auto status = cudaGraphicsResourceGetMappedPointer(&mapped, &bytes, resource_);
        if (status == cudaSuccess)
            status = cudaMemcpyAsync(mapped, pixels_.data(), pixels_.size() * sizeof(std::uint32_t),
                                     cudaMemcpyDeviceToDevice, stream);
        auto unmapped = cudaGraphicsUnmapResources(1, &resource_, stream);
        check_sharing(status, "copying to a mapped buffer");
        check_sharing(unmapped, "cudaGraphicsUnmapResources");
        copied_.record(stream);
    }

  private:
    Stream& handing_over_;
    DeviceArray<std::uint32_t> pixels_;
    OrderEvent toned_, copied_;
    GLuint name_ = 0;
    cudaGraphicsResource_t resource_ = nullptr;
};

/// Double-buffered transfer from CUDA to GL. Mapping makes a stream wait for GL, which waits for
/// its time slice on the GPU. A separate stream maps the buffers alternately, so that the frame
/// stream does not wait.
class CudaPath final : public PixelPath {
  public:
    CudaPath(Device& device, Extent extent) {
        device.make_current();
        check_same_gpu();
        handing_over_ = device.create_stream();
        for (auto& buffer : buffers_)
            buffer = std::make_unique<SharedBuffer>(*handing_over_,
                                                    static_cast<std::size_t>(extent.pixels()));
        handing_over_->synchronize();  // the memory is then valid on every stream
    }

    std::string name() const override { return "CUDA writes the pixel buffer"; }

    void begin() override { current_ = (current_ + 1) % buffers_.size(); }

    void write(Session& session) override { buffers_[current_]->write(session); }

    PixelSlice hand_over() override {
        buffers_[current_]->hand_over();
        return {buffers_[current_]->name(), 0};
    }

  private:
    std::unique_ptr<Stream> handing_over_;
    std::array<std::unique_ptr<SharedBuffer>, 3> buffers_;
    std::size_t current_ = 0;
};

}  // namespace

std::unique_ptr<PixelPath> make_cuda_path(Device& device, Extent extent) {
    return std::make_unique<CudaPath>(device, extent);
}

}  // namespace tl
