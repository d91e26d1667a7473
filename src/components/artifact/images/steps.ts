import { imageName } from '../../../resource/index.ts'
import { importImage, pullImage } from '../../../step/generic/image.ts'
import { composeStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'

/** The images of a host, by the names their publishers gave them. */
type Images = { readonly images: readonly string[] }

/** Brings images from the cache of this machine: nobody else is asked. */
export const importImages = composeStep<Images>({
  name: 'images.import',
  title: ({ images }) => `Import ${count(images)} into the container runtime`,
  timeout: minutes(30),
  sideBySide: true,
  ops: ({ artifacts }, { images }) =>
    Promise.all(
      images.map(async (image) => {
        const { path, sha256 } = await artifacts.get(image)
        return importImage({ image, from: path, sha256 })
      }),
    ),
})

/** Pulls images from the private registry. */
export const pullImages = composeStep<Images>({
  name: 'images.pull',
  title: ({ images }) => `Pull ${count(images)} from the private registry`,
  timeout: minutes(30),
  sideBySide: true,
  ops: ({ cluster }, { images }) => images.map((image) => pullImage(imageName(cluster, image))),
})

const count = (images: readonly string[]): string => (images.length === 1 ? '1 image' : `${images.length} images`)
