import { App } from "./app/app";

void new App().begin();
