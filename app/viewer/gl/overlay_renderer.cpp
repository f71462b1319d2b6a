#include "app/viewer/gl/overlay_renderer.h"

#include <glad/gl.h>

#include <cstddef>

#include "app/viewer/gl/camera_matrix.h"
#include "app/viewer/gl/gl_program.h"
#include "shaders/shaders.h"

namespace tl {

OverlayRenderer::OverlayRenderer() {
    program_ = link_program(shaders::kOverlayVert, shaders::kOverlayFrag);
    glCreateBuffers(1, &buffer_);
    glCreateVertexArrays(1, &vertex_array_);
    glVertexArrayVertexBuffer(vertex_array_, 0, buffer_, 0, sizeof(OverlayVertex));
    glEnableVertexArrayAttrib(vertex_array_, 0);
    glVertexArrayAttribFormat(vertex_array_, 0, 3, GL_FLOAT, GL_FALSE,
                              offsetof(OverlayVertex, position));
    glVertexArrayAttribBinding(vertex_array_, 0, 0);
    glEnableVertexArrayAttrib(vertex_array_, 1);
    glVertexArrayAttribFormat(vertex_array_, 1, 4, GL_UNSIGNED_BYTE, GL_TRUE,
                              offsetof(OverlayVertex, rgba8));
    glVertexArrayAttribBinding(vertex_array_, 1, 0);
}

OverlayRenderer::~OverlayRenderer() {
    glDeleteVertexArrays(1, &vertex_array_);
    glDeleteBuffers(1, &buffer_);
    glDeleteProgram(program_);
}

void OverlayRenderer::set_lines(const std::vector<OverlayVertex>& vertices) {
    points_ = false;
    upload(vertices);
}

void OverlayRenderer::set_points(const std::vector<OverlayVertex>& vertices) {
    points_ = true;
    upload(vertices);
}

void OverlayRenderer::upload(const std::vector<OverlayVertex>& vertices) {
    n_vertices_ = static_cast<int>(vertices.size());
    glNamedBufferData(buffer_, static_cast<GLsizeiptr>(vertices.size() * sizeof(OverlayVertex)),
                      vertices.data(), GL_DYNAMIC_DRAW);
}

void OverlayRenderer::draw(unsigned framebuffer, const Rect& picture, const Rect& part,
                           int window_height, const Camera& camera) {
    if (n_vertices_ == 0 || part.width <= 0 || part.height <= 0) return;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(picture.x, window_height - picture.y - picture.height, picture.width,
               picture.height);
    glEnable(GL_SCISSOR_TEST);
    glScissor(part.x, window_height - part.y - part.height, part.width, part.height);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(program_);
    mat4 matrix = camera_matrix(camera, picture.extent());
    glUniformMatrix4fv(0, 1, GL_FALSE, &matrix[0][0]);
    glUniform1f(1, point_size);
    glUniform1i(2, points_ ? 1 : 0);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glBindVertexArray(vertex_array_);
    glDrawArrays(points_ ? GL_POINTS : GL_LINES, 0, n_vertices_);
    glBindVertexArray(0);
    glDisable(GL_PROGRAM_POINT_SIZE);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
}

}  // namespace tl
