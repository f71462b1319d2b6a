#include "app/viewer/gl/camera_matrix.h"

#include "renderer/shading/camera_rays.h"

namespace tl {

mat4 camera_matrix(const Camera& camera, Extent picture) {
    CameraRays rays(camera, picture);
    vec3 forward = glm::normalize(camera.target - camera.eye);
    float near = glm::length(camera.target - camera.eye) / 1000;
    float step = glm::length(rays.step_x);
    vec3 x = rays.step_x / (step * step * static_cast<float>(picture.width) / 2);
    vec3 y = -rays.step_y / (step * step * static_cast<float>(picture.height) / 2);
    mat4 matrix;
    for (int c = 0; c < 3; ++c) matrix[c] = vec4(x[c], y[c], forward[c], forward[c]);
    matrix[3] = vec4(-glm::dot(x, camera.eye), -glm::dot(y, camera.eye),
                     -glm::dot(forward, camera.eye) - 2 * near, -glm::dot(forward, camera.eye));
    return matrix;
}

}  // namespace tl
