// Shows the API's document with Swagger UI. Apart from the page because scripts in it are forbidden (CSP).
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#docs",
    deepLinking: true,
    validatorUrl: null,
    persistAuthorization: false,
    defaultModelsExpandDepth: 0,
  });
});
