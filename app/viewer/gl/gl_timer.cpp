#include "app/viewer/gl/gl_timer.h"

#include <glad/gl.h>

namespace tl {

GlTimer::~GlTimer() {
    if (queries_[0]) glDeleteQueries(kQueries, queries_.data());
}

void GlTimer::begin() {
    if (!queries_[0]) glCreateQueries(GL_TIME_ELAPSED, kQueries, queries_.data());
    if (asked_[next_]) {
        GLint ready = 0;
        glGetQueryObjectiv(queries_[next_], GL_QUERY_RESULT_AVAILABLE, &ready);
        if (!ready) return;  // GL lags far behind: this frame is not measured
        GLuint64 nanoseconds = 0;
        glGetQueryObjectui64v(queries_[next_], GL_QUERY_RESULT, &nanoseconds);
        milliseconds_ = static_cast<float>(nanoseconds) * 1e-6f;
    }
    glBeginQuery(GL_TIME_ELAPSED, queries_[next_]);
    running_ = true;
}

void GlTimer::end() {
    if (!running_) return;
    glEndQuery(GL_TIME_ELAPSED);
    running_ = false;
    asked_[next_] = true;
    next_ = (next_ + 1) % kQueries;
}

FramePacer::~FramePacer() {
    for (auto* fence : fences_) glDeleteSync(static_cast<GLsync>(fence));
}

void FramePacer::end_frame() {
    auto& fence = fences_[next_];
    next_ = (next_ + 1) % fences_.size();
    if (fence) {
        constexpr GLuint64 kSecond = 1'000'000'000;
        glClientWaitSync(static_cast<GLsync>(fence), GL_SYNC_FLUSH_COMMANDS_BIT, kSecond);
        glDeleteSync(static_cast<GLsync>(fence));
    }
    fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

}  // namespace tl
