// Shows the API's document with Swagger UI. Apart from the page because scripts in it are forbidden (CSP).
// A lock is closed once a token is sent. Where the token is optional, Swagger UI would close it from the start:
// there "nothing" is one of the ways to be authorized, and is left out here.
const locks = () => ({
  statePlugins: {
    auth: {
      wrapSelectors: {
        isAuthorized: (original) => (state, ways) => original(state, ways?.filter((way) => way.size > 0)),
      },
    },
  },
});
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#docs",
    plugins: [locks],
    deepLinking: true,
    validatorUrl: null,
    persistAuthorization: false,
    defaultModelsExpandDepth: 0,
  });
});
