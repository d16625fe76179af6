"""Reference pictures for tests/library/light.rs: a bundled face as OpenCV equalises it, and as NumPy does Tan and Triggs'.

Run once: python3 light.py ../../faces/Ada/1.png .   (numpy and opencv-python-headless are needed)
"""

import sys

import cv2
import numpy as np

face = cv2.imread(sys.argv[1], cv2.IMREAD_GRAYSCALE)
cv2.imwrite(f"{sys.argv[2]}/light-equalize.png", cv2.equalizeHist(face))
cv2.imwrite(f"{sys.argv[2]}/light-clahe.png", cv2.createCLAHE(2.0, (4, 4)).apply(face))


def blurred(picture, sigma):
    size = 2 * int(np.ceil(3 * sigma)) + 1
    return cv2.GaussianBlur(picture, (size, size), sigma, borderType=cv2.BORDER_REPLICATE)


compressed = face.astype(np.float64) ** 0.2
detail = blurred(compressed, 1) - blurred(compressed, 2)
detail /= (np.abs(detail) ** 0.1).mean() ** 10
detail /= (np.minimum(np.abs(detail), 10) ** 0.1).mean() ** 10
cv2.imwrite(f"{sys.argv[2]}/light-tan-triggs.png", np.round(128 + 127 * np.tanh(detail / 10)).astype(np.uint8))
