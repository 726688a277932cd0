# The service in an image, compiled ahead: it answers seconds after it starts.
#   docker build -t geopar . && docker run -p 8000:8000 -v geopar-jobs:/data geopar
# Where its images cannot be had: --build-arg PYTHON=..., any with `python` 3.11 or newer, and pip.
ARG PYTHON=python:3.12-slim
FROM ${PYTHON}

# Compiled code is kept beside the sources, so the package is installed by the user who runs it.
# His number is written out: Kubernetes' runAsNonRoot asks for one.
RUN useradd --create-home --uid 10001 geopar && mkdir /data && chown geopar /data
USER 10001
ENV PATH=/home/geopar/.local/bin:$PATH PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
WORKDIR /home/geopar/source
COPY --chown=geopar pyproject.toml hatch_build.py README.md LICENSE constraints.txt ./
COPY --chown=geopar src src
# A build argument chooses what is in: the search and the page, or networks as well (and torch).
ARG EXTRAS=service,plot,excel
RUN pip install --user -c constraints.txt ".[$EXTRAS]" && geopar warm-up

VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health')"]
# Other machines reach it: give it a token, GEOPAR_TOKEN, unless a proxy asks for one.
CMD ["geopar", "serve", "--host", "0.0.0.0", "--port", "8000", "--data", "/data"]
